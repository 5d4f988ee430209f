"""What a reader sees: tables and figures beside the published ones, findings, reports and their index."""
