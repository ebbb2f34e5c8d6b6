"""`python -m polyclinic`."""

from polyclinic.cli.main import main

main()
