"""The emulated CANopen drive with frames made by hand from CiA 301 and CiA 402, and driven like by a master.

Node 5: heartbeat 0x705, TPDO1 0x185, RPDO1 0x205, RPDO2 0x305, SDO 0x605/0x585, emergency 0x085.
"""

from __future__ import annotations

import struct

import numpy as np
import pytest

from snakestudio.link.emulator.firmware.cia402 import Drive, PdsState
from tests.link.emulator.bench import Bench


@pytest.fixture
def bench(shipped) -> Bench:
    bench = Bench(shipped("cia402_csp"))
    bench.run(0.6)
    return bench


def status(bench: Bench) -> int:
    bench.run(0.02)
    return int.from_bytes(bench.of(0x185)[-1].data[:2], "little")


def enable(bench: Bench) -> None:
    bench.hex(0x000, "0105")  # NMT: start node 5
    bench.hex(0x605, "2f60600008000000")  # SDO: write 1 byte, 0x6060:00 = 8
    for controlword in ("0600", "0700", "0f00"):  # shutdown, switch on, enable operation
        bench.hex(0x305, controlword)


def test_boot_leads_to_pre_operational(bench: Bench) -> None:
    beats = [frame.data[0] for frame in bench.of(0x705)]
    assert beats[0] == 0x00  # boot-up message
    assert set(beats[1:]) == {0x7F}
    assert not bench.of(0x185)  # no PDOs yet
    bench.hex(0x305, "0600")
    bench.hex(0x000, "0100")  # start all
    bench.run(0.06)
    assert bench.of(0x705)[-1].data == b"\x05"
    # switch on disabled: the earlier controlword did not count
    assert status(bench) & 0x6F == 0x40


def test_state_transitions_lead_to_operation_enabled(bench: Bench) -> None:
    bench.hex(0x000, "0105")
    bench.hex(0x605, "2f60600008000000")
    assert bench.of(0x585)[-1].data == bytes.fromhex("6060600000000000")  # written
    for controlword, expected in (("0600", 0x21), ("0700", 0x23), ("0f00", 0x27)):
        bench.hex(0x305, controlword)
        assert status(bench) & 0x6F == expected
    assert not bench.robot.safe
    assert bench.robot.nodes[4].torque
    assert not bench.robot.nodes[3].torque  # node 4 was not started


def test_targets_apply_from_the_next_sync(bench: Bench) -> None:
    enable(bench)
    # 0.3 rad at the joint, gear 100: 30 rad = 30 / (2 pi) * 65536 = 312911 increments = 0x4C64F.
    target = struct.pack("<i", 312911)
    assert target == bytes.fromhex("4fc60400")
    for _ in range(30):
        bench.hex(0x205, target.hex())
        bench.run(0.01)
    assert abs(bench.robot.angles[4]) < 1e-3  # without SYNC nothing happens
    for _ in range(150):
        bench.hex(0x205, target.hex())
        bench.hex(0x080, "")
        bench.run(0.01)
    assert bench.robot.angles[4] == pytest.approx(0.3, abs=np.radians(0.3))
    position = struct.unpack_from("<i", bench.of(0x185)[-1].data, 2)[0]
    assert position == pytest.approx(bench.robot.angles[4] * 100 / (2 * np.pi) * 65536, abs=200)


def test_quick_stop_ends_without_torque(bench: Bench) -> None:
    enable(bench)
    bench.hex(0x305, "0200")
    assert bench.count("stop_received") == 1
    assert status(bench) & 0x6F in (0x07, 0x40)
    bench.run(0.05)
    assert bench.robot.safe
    assert status(bench) & 0x4F == 0x40


def test_missing_targets_are_a_fault_with_an_emergency(bench: Bench) -> None:
    enable(bench)
    bench.run(0.3)
    assert bench.robot.safe
    assert status(bench) & 0x4F == 0x08
    # 0x8250, generic and communication
    assert bench.of(0x085)[0].data == bytes.fromhex("5082 11 0000000000")
    bench.hex(0x305, "0600")
    assert status(bench) & 0x4F == 0x08  # only an edge of bit 7 resets a fault
    bench.hex(0x305, "8000")
    assert status(bench) & 0x4F == 0x40
    assert bench.of(0x085)[-1].data == bytes(8)  # error reset


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("4000100000000000", "4300100092010200"),  # device type 0x00020192: 402, servo drive
        (
            "4041600000000000",
            "4b41600050020000",
        ),  # statusword 0x0250: switch on disabled, voltage, remote
        ("4017100000000000", "4b17100032000000"),  # producer heartbeat time 50 ms
        ("4061600000000000", "4f61600000000000"),  # no mode yet
        ("408f600100000000", "438f600100000100"),  # 65536 increments
        ("4099990000000000", "8099990000000206"),  # no such object: 0x06020000
        ("2b41600000000000", "8041600002000106"),  # statusword is read only: 0x06010002
        ("2b60600008000000", "8060600010000706"),  # mode of operation has one byte: 0x06070010
        ("2141600000000000", "8041600001000405"),  # segmented: 0x05040001
    ],
)
def test_sdo_reads_and_writes_objects(bench: Bench, request_: str, answer: str) -> None:
    bench.hex(0x605, request_)
    assert bench.of(0x585)[-1].data == bytes.fromhex(answer)


def test_leaving_operational_switches_torque_off(bench: Bench) -> None:
    enable(bench)
    bench.hex(0x000, "8005")  # enter pre-operational
    assert bench.robot.safe
    bench.hex(0x000, "8105")  # reset node
    assert bench.count("boot") == 11  # ten at power on, and this one


def test_state_machine_of_the_drive() -> None:
    drive = Drive()
    drive.control(0x0F, True)
    assert drive.state is PdsState.SWITCH_ON_DISABLED  # only with the steps between
    drive.control(0x06, True)
    drive.control(0x07, True)
    drive.control(0x0F, True)
    assert drive.state is PdsState.OPERATION_ENABLED
    drive.control(0x07, True)
    assert drive.state is PdsState.SWITCHED_ON  # disable operation
    drive.fail()
    drive.control(0x8F, False)
    assert drive.state is PdsState.FAULT  # its cause is still present
    drive.control(0x80, True)
    assert drive.state is PdsState.FAULT  # no edge
    drive.control(0x00, True)
    drive.control(0x80, True)
    assert drive.state is PdsState.SWITCH_ON_DISABLED
