"""Clients that ask for segments at rates of their own: python3 -m bench.hostile.rates PORT SECONDS. Prints the
statuses of the responses, in JSON."""

import collections
import http.client
import json
import os
import sys
import threading
import time

CLIENTS = 8
TOKEN = "cccccccccccccccc"
NEWEST = 6  # segments among which they choose


def newest(connection):
    connection.request("GET", f"/live/{TOKEN}/auto/playlist.m3u8")
    lines = connection.getresponse().read().decode().splitlines()
    numbers = [line.split(".")[0] for line in lines if line.endswith(".m4s") and line.count(".") == 1]
    return int(numbers[-1]) if numbers else 0


def ask(port, number, end, statuses):
    """`number`: of the client, whose rates differ from those of the others."""
    turn, known = number, 0
    while time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=("127.0.0.2", 0))
        try:
            known = newest(connection)
            for _ in range(100):
                if time.monotonic() >= end:
                    return
                rate = 300 + turn * 7 % 2600
                connection.request("GET", f"/live/{TOKEN}/auto/{known - turn % NEWEST}.m4s?rate={rate}k")
                response = connection.getresponse()
                response.read()
                statuses[response.status] += 1
                turn += CLIENTS
        except (OSError, http.client.HTTPException):
            statuses["none"] += 1
            time.sleep(0.01)
        finally:
            connection.close()


def main():
    os.nice(19)  # They stand for other machines, and take more CPU time than the server does for their requests.
    port, end = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
    statuses = [collections.Counter() for _ in range(CLIENTS)]
    threads = [threading.Thread(target=ask, args=(port, i, end, statuses[i])) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = sum(statuses, collections.Counter())
    print(json.dumps({"statuses": {str(status): count for status, count in total.items()}}))


main()
