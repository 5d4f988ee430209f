"""What a reader sees: tables and figures beside the published ones, findings, HTML reports and their index."""
