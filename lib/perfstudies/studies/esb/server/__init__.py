"""The study's systems under test: started, waited for, configured and stopped."""
