import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--hold-minutes", type=int, default=20)
parser.add_argument("--ramp-rate", type=int, default=120)
parser.add_argument("--cool-rate", type=int, default=80)
print(parser.parse_args())
