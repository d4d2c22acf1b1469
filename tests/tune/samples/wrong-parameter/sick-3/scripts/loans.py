"""Counts the loans of a month."""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--month", required=True)
parser.add_argument("--dry-run", action="store_true")
parser.add_argument("--out")
print(parser.parse_args())
