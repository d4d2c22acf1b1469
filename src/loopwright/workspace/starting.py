"""One start of a process at a time, where that matters."""

import threading

STARTING = threading.Lock()
"""Held while a limit of the whole process carries a loop's number (see marks.py). A thread that starts something of its
own meanwhile has to hold it too, or that would be taken for the loop's."""
