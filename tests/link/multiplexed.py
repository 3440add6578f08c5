"""Robot whose joints share multiplexed messages: two joints per page, big-endian, as some vendors do it."""

from __future__ import annotations

from snakestudio.link.profile.loading import LoadedProfile, parse_profile

DBC = """VERSION ""
BU_: HOST ROBOT
BO_ 512 Target: 8 HOST
 SG_ Page M : 0|4@1+ (1,0) [0|15] "" ROBOT
 SG_ First m0 : 15|16@0- (0.01,0) [-327|327] "deg" ROBOT
 SG_ Second m1 : 15|16@0- (0.01,0) [-327|327] "deg" ROBOT
BO_ 768 State: 8 ROBOT
 SG_ Part M : 0|4@1+ (1,0) [0|15] "" HOST
 SG_ Angle m0 : 15|16@0- (0.01,0) [-327|327] "deg" HOST
 SG_ Status m0 : 24|8@1+ (1,0) [0|255] "" HOST
 SG_ Heat m1 : 15|16@0- (0.1,0) [-327|3276] "degC" HOST
 SG_ Current m1 : 31|16@0- (0.01,0) [-327|327] "A" HOST
BO_ 256 Order: 2 HOST
 SG_ Kind M : 0|4@1+ (1,0) [0|15] "" ROBOT
 SG_ Wish m1 : 8|8@1+ (1,0) [0|255] "" ROBOT
 SG_ Reason m2 : 8|8@1+ (1,0) [0|255] "" ROBOT
BO_ 1792 Alive: 1 ROBOT
 SG_ Count : 0|8@1+ (1,0) [0|255] "" HOST
VAL_ 256 Kind 1 "Wishes" 2 "Stops" ;
"""

TOML = """format = 1
name = "Paged"
dbc = "paged.dbc"
[timing]
set_point_rate_hz = 20.0
stale_s = 0.2
lost_s = 0.3
window_timeout_s = 0.25
reference_timeout_s = 0.3
[[axes]]
joint = 1
node = 1
[[axes]]
joint = 2
node = 2
[[messages]]
role = "set_point"
message = "Target"
each = "once"
name = "TargetFirst"
fixed = { Page = 0 }
signals = [{ signal = "First", quantity = "angle", slot = 0 }]
[[messages]]
role = "set_point"
message = "Target"
each = "once"
name = "TargetSecond"
fixed = { Page = 1 }
signals = [{ signal = "Second", quantity = "angle", slot = 1 }]
[[messages]]
role = "command"
message = "Order"
id = "0x100 + node"
[[messages]]
role = "feedback"
message = "State"
id = "0x300 + node"
every_s = 0.05
fixed = { Part = 0 }
signals = [{ signal = "Angle", quantity = "angle" }, { signal = "Status", quantity = "status" }]
[[messages]]
role = "feedback"
message = "State"
name = "Heats"
id = "0x300 + node"
every_s = 0.1
fixed = { Part = 1 }
signals = [{ signal = "Heat", quantity = "temperature" }, { signal = "Current", quantity = "current" }]
[[messages]]
role = "heartbeat"
message = "Alive"
id = "0x700 + node"
every_s = 0.1
signals = [{ signal = "Count", quantity = "counter" }]
[[status]]
code = 1
meaning = "ready"
[[status]]
code = 2
meaning = "armed"
[[status]]
code = 3
meaning = "stopped"
[sequences]
arm = [{ send = "Order", signals = { Kind = "Wishes", Wish = 1 } }, { expect = "armed" }]
disarm = [{ send = "Order", signals = { Kind = "Wishes", Wish = 2 } }]
stop = [{ send = "Order", signals = { Kind = "Stops", Reason = 1 } }]
"""


def paged(*changes: tuple[str, str]) -> LoadedProfile:
    """Return the profile with the first occurrence of some texts replaced."""
    toml = TOML
    for old, new in changes:
        assert old in toml, old
        toml = toml.replace(old, new, 1)
    return parse_profile(toml, DBC)
