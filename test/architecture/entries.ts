/**
 * What each room of the agent is open by: the files that other rooms may import. What is not named here can be changed by who changes its room,
 * without a look elsewhere. To name another file here is to widen the room: do it on purpose.
 */
export const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'agent/access': ['access-rules', 'handled-vehicles', 'open-sessions', 'recent-reads', 'zone-occupancy'],
  'agent/commissioning': [
    'device-code',
    'claim',
    'claim-desk',
    'claim-text-parser',
    'data-erasure',
    'gateway-life',
    'identity',
    'standing',
  ],
  'agent/command': ['local-actions', 'local-operations', 'lot-release'],
  'agent/display': ['displays'],
  'agent/doctor': ['gateway-doctor', 'look-at-device', 'probe-port', 'question-checks', 'render-report'],
  'agent/health': ['decide-own-troubles', 'log-ring', 'queue', 'render-logs', 'render-status', 'status', 'status-rows'],
  'agent/lpr': [
    'camera',
    'presence/camera-clocks',
    'presence/camera-prober',
    'presence/camera-states',
    'push/quarantine',
    'reads/dry-run',
    'reads/seen-reads',
    'setup/camera-setups',
    'setup/camera-tests',
  ],
  'agent/mqtt': ['hear-topics'],
  'agent/process': ['memory-limits', 'start-child'],
  'agent/product': ['product-commander', 'product-watch', 'radio-health'],
  'agent/sensor': ['beacons', 'decide-wanted-beacon', 'sensors'],
  'agent/update': ['updates'],
  'agent/waiting': ['deferred', 'listeners', 'on-abort', 'one-at-a-time', 'shared-abort', 'tasks', 'wait-for'],
};
