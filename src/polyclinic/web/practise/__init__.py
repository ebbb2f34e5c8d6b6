"""Practise: a person takes a part in the browser. The same runs as `polyclinic play`, over HTTP."""
