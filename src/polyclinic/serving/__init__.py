"""What all our HTTP servers share: allowed hosts, timeouts and metrics."""
