import sys

sys.exit(1 if sys.argv[1:] else 0)
