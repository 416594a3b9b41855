# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the pods of a full verification run: a server, a client that looks around, and the two ends of a small job.

Needs Python 3.8 and nothing else, so that any image with Python will do. A client's findings go to the pod's
termination message, as a list of [check, what, error] in JSON; an empty error means that it went well.
"""

import json
import os
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import ProxyHandler, build_opener

TRIES_FOR_S = 10
ONE_TRY_S = 3
LONGEST_ERROR = 120
JOB_FOR_S = 60


def serve(port):
    """Answer every request with the name of the node."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = os.environ["NODE_NAME"].encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments):
            pass

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET

        def server_bind(self):
            if self.address_family == socket.AF_INET6:
                self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            ThreadingHTTPServer.server_bind(self)

    Server(("", port), Handler).serve_forever()


def dial(address, port, expected):
    """Ask the server at an address; return what is wrong. expected: the node it must run on; empty for any."""
    host = f"[{address}]" if ":" in address else address
    # No proxy of the environment: cluster addresses are not behind one.
    with build_opener(ProxyHandler({})).open(f"http://{host}:{port}/", timeout=ONE_TRY_S) as answer:
        node = answer.read().decode()
    return "" if expected in ("", node) else f"{node} answered instead of {expected}"


def resolve(name, expected):
    """Look a name up; return what is wrong. expected: the address it must have; empty for any."""
    found = sorted({entry[4][0] for entry in socket.getaddrinfo(name, None)})
    return "" if not expected or expected in found else f"is {', '.join(found)} instead of {expected}"


def patiently(function, arguments):
    """Try until it goes well or the time is over; return the last error."""
    end = time.monotonic() + TRIES_FOR_S
    while True:
        try:
            error = function(*arguments)
        except OSError as failure:
            error = str(getattr(failure, "reason", failure)) or type(failure).__name__
        if not error or time.monotonic() > end:
            return error[:LONGEST_ERROR]
        time.sleep(0.5)


def look(targets):
    """Try all targets at once and say how each went. targets: list of [check, what, function, arguments]."""
    functions = {"dial": dial, "resolve": resolve}
    findings = [[check, what, f"no answer within {2 * TRIES_FOR_S} s"] for check, what, _function, _more in targets]

    def one(index):
        _check, _what, function, arguments = targets[index]
        findings[index][2] = patiently(functions[function], arguments)

    # Daemons: the resolver may hang far longer than anybody wants to wait.
    threads = [threading.Thread(target=one, args=(index,), daemon=True) for index in range(len(targets))]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 2 * TRIES_FOR_S
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    with open("/dev/termination-log", "w") as handle:
        json.dump(findings, handle)


def job():
    """Be one of two workers: the second one sends numbers, the first one answers with their sum."""
    cluster = json.loads(os.environ["TF_CONFIG"])
    host, _colon, port = cluster["cluster"]["worker"][0].rpartition(":")
    numbers = list(range(100))
    if cluster["task"]["index"] == 0:
        answer_sum(int(port))
        return
    end = time.monotonic() + JOB_FOR_S
    while True:
        try:
            with socket.create_connection((host, int(port)), timeout=ONE_TRY_S) as connection:
                connection.sendall(json.dumps(numbers).encode() + b"\n")
                found = int(connection.makefile().readline())
            break
        except OSError as error:
            print(f"worker 0 at {host}: {error}", flush=True)
            if time.monotonic() > end:
                sys.exit(f"worker 0 does not answer: {error}")
            time.sleep(0.5)
    if found != sum(numbers):
        sys.exit(f"worker 0 answered {found} instead of {sum(numbers)}")
    print(f"the sum is {found}")


def answer_sum(port):
    """Answer one request."""
    family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    with socket.create_server(("", port), family=family, dualstack_ipv6=family == socket.AF_INET6) as server:
        server.settimeout(JOB_FOR_S)
        connection, _address = server.accept()
        with connection:
            numbers = json.loads(connection.makefile().readline())
            connection.sendall(b"%d\n" % sum(numbers))
    print(f"answered with the sum of {len(numbers)} numbers")


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    elif sys.argv[1] == "look":
        look(json.loads(sys.argv[2]))
    else:
        job()
