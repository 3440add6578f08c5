"""Start together with other instruments: triggers over TCP and over the Lab Streaming Layer."""

from snakestudio.errors import TriggerError
from snakestudio.session.trigger.protocol import Trigger, TriggerKind
from snakestudio.session.trigger.receiver import TriggerReceiver
from snakestudio.session.trigger.sender import ClockOffset, Fired, TriggerSender, split_address
from snakestudio.session.trigger.together import StartTogether, Together, Words

__all__ = [
    "ClockOffset",
    "Fired",
    "StartTogether",
    "Together",
    "Trigger",
    "TriggerError",
    "TriggerKind",
    "TriggerReceiver",
    "TriggerSender",
    "Words",
    "split_address",
]
