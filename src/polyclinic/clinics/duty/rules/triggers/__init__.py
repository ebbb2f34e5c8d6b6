"""The exact triggers: small pure functions from a scene to a finding, or nothing. All else is read by meaning."""
