import sys
from pathlib import Path

# The runners live beside the package, not in it.
ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)
