"""Synchronized start with other instruments: triggers over TCP and the Lab Streaming Layer."""

from snakestudio.errors import TriggerError
from snakestudio.sync.protocol import Trigger, TriggerKind
from snakestudio.sync.receiver import TriggerReceiver
from snakestudio.sync.sender import ClockOffset, SentTrigger, TriggerSender, split_address
from snakestudio.sync.synchronized_start import ActionNames, StartSettings, SynchronizedStart

__all__ = [
    "ActionNames",
    "ClockOffset",
    "SentTrigger",
    "StartSettings",
    "SynchronizedStart",
    "Trigger",
    "TriggerError",
    "TriggerKind",
    "TriggerReceiver",
    "TriggerSender",
    "split_address",
]
