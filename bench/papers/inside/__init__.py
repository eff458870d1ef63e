"""The code that runs in the guest (papers/guest.py).

    init     its first process
    main     runs the module that the guest was booted for
    paths    a server, a router, and clients behind paths with rate, queue, delay and loss
    check    measures whether such a path behaves as configured
"""
