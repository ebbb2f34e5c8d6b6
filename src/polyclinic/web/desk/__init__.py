"""The desk: live sessions of a clinic with people, for the staff who supervise them."""
