"""The desk: live sessions of a clinic with people, for those who watch over them."""
