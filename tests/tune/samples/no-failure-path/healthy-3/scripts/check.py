import sys

try:
    open(sys.argv[1]).close()
except OSError:
    sys.exit(2)
