"""Fault injection: every write, rename and sync of a command fails in turn.

    python -m scripts.faults                    # all of them, some minutes
    python -m scripts.faults --every 20 --only train

Each command runs again and again in a fork of one process, into which `interpose.c` is preloaded.
Run N fails at its N-th call that changes the output folder, in one of three ways:

    full      the disk is full from there on: only half of a write fits, and nothing after it
    broken    this call alone fails with an I/O error
    killed    the process is killed, in the middle of a write

What fails must say so in one line, without a traceback. Then the user's next command, `--resume` or
the same one again, must end with the same files, byte for byte, as a run without a fault.
"""
