/**
 * What each room of the agent is open by: the files that other rooms may import. What is not named here can be changed by who changes its room,
 * without a look elsewhere. To name another file here is to widen the room: do it on purpose.
 */
export const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'agent/access': ['access-rules', 'open-sessions', 'recent-reads', 'zone-occupancy'],
  'agent/command': ['lot-release'],
  'agent/display': ['displays'],
  'agent/health': ['render-status', 'status'],
  'agent/lpr': [
    'presence/camera-clocks',
    'presence/camera-prober',
    'presence/camera-states',
    'setup/camera-setups',
    'setup/camera-tests',
  ],
  'agent/mqtt': ['hear-topics'],
  'agent/process': ['memory-limits', 'start-child'],
  'agent/product': ['product-commander', 'product-watch', 'radio-health'],
  'agent/sensor': ['beacons', 'decide-wanted-beacon', 'sensors'],
  'agent/update': ['updates'],
  'agent/waiting': ['deferred', 'listeners', 'on-abort', 'shared-abort', 'tasks', 'turns', 'wait-for'],
};
