"""Another program of a synchronised start, independent of the tested code. Prints the received lines as JSON.

python trigger_peer.py fire PORT LINE...     connect, send lines, print every answer
python trigger_peer.py slow PORT LINE        the same, byte by byte
python trigger_peer.py vanish PORT LINE      send half a line and reset the connection
python trigger_peer.py listen MODE           listen, print the port first; MODE: polite, silent, deaf, busy, newer
"""

from __future__ import annotations

import json
import math
import socket
import struct
import sys
import time

OFFSET = 1000.0
"""Lead of the clock of a polite listener, s."""
PATIENCE_S = 20.0


def connect(port: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(port)), timeout=10)


def read_lines(connection: socket.socket, count: int) -> list[str]:
    """Read `count` lines, or fewer if the other side closes or sends nothing for too long."""
    deadline = time.monotonic() + PATIENCE_S
    data = b""
    try:
        while data.count(b"\n") < count:
            connection.settimeout(max(0.001, deadline - time.monotonic()))
            more = connection.recv(4096)
            if not more:
                break
            data += more
    except TimeoutError:
        pass
    return data.decode("ascii").splitlines()


def is_answered(line: bytes) -> bool:
    """Return whether a line gets an answer: all except empty lines and valid CLOCK lines."""
    fields = line.split()
    if len(fields) != 3 or fields[0] != b"CLOCK":
        return bool(fields)
    try:
        return not all(math.isfinite(float(field)) for field in fields[1:])
    except ValueError:
        return True


def fire(port: str, lines: list[str], slowly: bool) -> None:
    connection = connect(port)
    # the greeting
    sent = time.time()
    answers = 1
    for line in lines:
        data = line.replace("\\n", "\n").encode("latin-1") + b"\n"
        answers += sum(is_answered(each) for each in data.split(b"\n"))
        if slowly:
            for k in range(len(data)):
                connection.sendall(data[k : k + 1])
                time.sleep(0.005)
        else:
            connection.sendall(data)
    print(json.dumps({"sent": sent, "answers": read_lines(connection, answers)}))


def vanish(port: str, line: str) -> None:
    connection = connect(port)
    connection.sendall(line.encode("ascii"))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def listen(mode: str) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(20)
    print(server.getsockname()[1], flush=True)
    connection, _ = server.accept()
    if mode == "deaf":
        connection.close()
        return
    if mode in ("polite", "busy"):
        connection.sendall(b"SNAKESTUDIO-TRIGGER 1\r\n")
    if mode == "newer":
        connection.sendall(b"SNAKESTUDIO-TRIGGER 7\n")
    seen = []
    with connection.makefile("r", encoding="ascii") as lines:
        for line in lines:
            fields = line.split()
            seen.append([*fields, repr(time.time())])
            if mode in ("polite", "busy") and fields[0] == "PING":
                connection.sendall(f"PONG {fields[1]} {time.time() + OFFSET:.6f}\n".encode())
            elif mode == "busy" and fields[0] == "START":
                connection.sendall(b"ERR the camera is not ready\n")
            elif mode == "polite" and fields[0] in ("START", "STOP"):
                connection.sendall(
                    f"noise first\nOK {fields[0]} {time.time() + OFFSET:.6f}\n".encode()
                )
    print(json.dumps(seen))


if __name__ == "__main__":
    role, *rest = sys.argv[1:]
    if role == "listen":
        listen(rest[0])
    elif role == "vanish":
        vanish(*rest)
    else:
        fire(rest[0], rest[1:], role == "slow")
