import { GATE_WORDS } from '../wording/en.js';
import type { DoctorWords } from './doctor-words.js';
import { EN_REACH } from './reach/en.js';

const things = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

export const EN: DoctorWords = {
  levels: { ok: 'ok', warning: 'warning', failure: 'failure', unknown: 'unknown' },
  areas: {
    gateway: 'gateway',
    service: 'service',
    radio: 'Bluetooth',
    product: 'product',
    cycle: 'opening',
    camera: 'camera',
    decision: 'test plate',
    sensor: 'sensors',
    display: 'display',
    clock: 'clock',
    store: 'memory file',
    queue: 'queue',
    disk: 'disk',
    wear: 'disk wear',
    power: 'power',
    heat: 'temperature',
    memory: 'memory',
    network: 'network',
    dns: 'names',
    cloud: 'cloud',
    broker: 'broker',
    session: 'connection',
    certificate: 'certificate',
    authority: 'authority',
    check: 'doctor',
  },
  values: {
    ...GATE_WORDS.productErrors,
    ...GATE_WORDS.decisions.reasons,
    cloud: 'the cloud',
    device: 'this device',
    open: 'open',
    close: 'close',
    no_address: 'its name has no address',
    no_tls: 'it speaks no TLS',
    other_program: 'another program',
  },
  unknown: 'found something that only a newer version has words for',
  durations: { s: '{n} s', min: '{n} min', h: '{n} h', days: '{n} days' },
  follows: 'follows from it',
  sides: { ahead: '{n} ahead', behind: '{n} behind' },
  summary: ({ failures, warnings, following, oks, unknowns }) =>
    `${things(failures, 'failure', 'failures')}, ${things(warnings, 'warning', 'warnings')}${following === 0 ? '' : `, ${following} that follow${following === 1 ? 's' : ''} from ${failures + warnings === 1 ? 'it' : 'them'}`}, ${oks} ok${unknowns === 0 ? '' : `, ${unknowns} unknown`}`,
  findings: {
    'gateway.running': { says: 'has run for {uptime_s}, version {version}' },
    'gateway.not_running': {
      says: 'does not run: nothing answers at {url}; only the device was checked',
      todo: 'Look whether the device has power. If it does, disconnect its power for ten seconds.',
    },
    'gateway.not_asked': {
      says: 'runs, but could not be asked: {problem}; only the device was checked',
      todo: 'Start the device anew: disconnect its power for ten seconds. Nothing that waits is lost.',
    },
    'gateway.other_version': {
      says: 'version {running} runs, {installed} is installed',
      todo: 'It exchanges itself at the next quiet moment; sooner, once it was without power for ten seconds.',
    },
    'gateway.claimed': { says: 'belongs to the cloud {cloud}' },
    'gateway.unclaimed': {
      says: 'belongs to no cloud yet',
      todo: 'Make a claim code in the console (Devices, Gateways), and enter it at the gateway’s own page.',
    },
    'gateway.deleted': {
      says: 'was deleted by its cloud ({time}), and belongs to none now',
      todo: 'If that was a mistake, make a gateway and a claim code in the console (Devices, Gateways), and enter it at the gateway’s own page.',
    },
    'gateway.replaced': {
      says: 'another device was claimed in its place ({time}): this one belongs to no cloud now',
      todo: 'If that was meant, there is nothing to do. Else make a claim code for the gateway in the console, and enter it at this device’s own page.',
    },
    'gateway.reset': {
      says: 'was reset by a person ({time}), and belongs to no cloud now',
      todo: 'Make a claim code in the console (Devices, Gateways), and enter it at the gateway’s own page.',
    },
    'gateway.identity_unreadable': {
      says: 'its identity can be read only by its own user: {path}',
      todo: 'Look at the gateway’s own page instead: there cloud and broker are checked, too.',
    },
    'gateway.identity_damaged': {
      says: 'its identity is damaged: {path}',
      todo: 'Put a backup of the file back; without one move it away and claim the gateway anew.',
    },
    'gateway.no_configuration': {
      says: 'is claimed, but has no configuration yet: it decides nothing',
      todo: 'Connect it to its cloud once, and put it into a lot in the console.',
    },
    'gateway.rules_old': {
      says: 'decides by what its cloud said {days} days ago',
      todo: 'Connect the gateway to its cloud. If it is connected and this stays, whoever runs the cloud has to see why nothing new comes.',
    },
    'gateway.port_taken': {
      says: 'cannot start: its port {port} is held by {program}',
      todo: 'End that program, or have it use another port: the gateway then starts by itself.',
    },
    'gateway.port_refused': {
      says: 'cannot start: {problem}',
      todo: 'Whoever set up the device has to correct the address and port of the gateway.',
    },
    'service.watched': { says: 'systemd starts it again when it ends or hangs' },
    'service.started': { says: 'systemd starts it again when it ends' },
    'service.by_hand': { says: 'not started by systemd: nothing starts it again when it ends' },
    'radio.ok': { says: 'on ({adapters})' },
    'radio.unneeded': { says: 'off, and there is no product that needs it' },
    'radio.off': {
      says: 'switched off by BLE_HCI=off: no product can be opened',
      todo: 'Whoever set up the device switched it off: they have to switch it on.',
    },
    'radio.unavailable': {
      says: 'no adapter works: no product can be opened',
      todo: 'Is a Bluetooth adapter plugged in? Plug it in again; if that does not help, disconnect the power of the device for ten seconds.',
    },
    'radio.adapter_gone': { says: 'adapter {adapter} does not work, others do', todo: 'Plug it in again.' },
    'radio.healed': {
      says: 'healed itself {ago_s} ago ({step})',
      todo: 'If that comes back, put the adapter on another USB port or an extension cable, away from USB 3 devices.',
    },
    'product.ok': { says: 'in range ({rssi} dBm, heard {seen_s} ago), may act alone for {days} days' },
    'product.none': { says: 'this gateway has no products' },
    'product.unpaired': {
      says: 'is not paired: nobody can open it',
      todo: 'Pair it in the console (Products), with its pairing button.',
    },
    'product.error': {
      says: 'reports an error: {error}',
      todo: 'Go there and look; when it is put right, open and close it once.',
    },
    'product.never_seen': {
      says: 'was not heard since the gateway started',
      todo: 'Has it power? Is it nearer than 20 m, without steel or concrete between? Is its device id right?',
    },
    'product.lost': {
      says: 'is out of range: last heard {seen_s} ago',
      todo: 'Look at its power and battery; move the gateway or its antenna nearer.',
    },
    'product.weak': {
      says: 'is heard weakly ({rssi} dBm): openings will be slow or fail',
      todo: 'Move the gateway or its antenna nearer, or set up a second gateway.',
    },
    'product.credential_low': {
      says: 'may be opened without the cloud for {days} more days',
      todo: 'Connect the gateway to its cloud: that renews it.',
    },
    'product.credential_ended': {
      says: 'can no longer be opened by this gateway: its credential has ended',
      todo: 'Connect the gateway to its cloud: that renews it.',
    },
    'product.battery_low': { says: 'its battery is at {percent} %', todo: 'Charge or change it.' },
    'product.clock_wrong': {
      says: 'its clock is wrong by {off_s}',
      todo: 'Connect the gateway to its cloud, which sets it right.',
    },
    'cycle.ok': { says: 'opened in {open_s} and closed in {close_s}' },
    'cycle.failed': {
      says: 'did not {operation}: {problem}',
      todo: 'Look whether something blocks it, then at its range and battery above; try again.',
    },
    'camera.ok': { says: 'is there, last heard {seen_s} ago' },
    'camera.none': { says: 'this gateway has no cameras' },
    'camera.quiet': {
      says: 'answers, but has sent nothing for a day or since the gateway started',
      todo: 'Drive a vehicle past it. If nothing comes, look at where the camera sends its reads to.',
    },
    'camera.offline': {
      says: 'does not answer: {problem}',
      todo: 'Has it power and network? Is its address in the console right?',
    },
    'camera.refused': {
      says: 'refuses the gateway: {problem}',
      todo: 'Correct its user name and password in the console (Devices, Cameras).',
    },
    'camera.unserved': {
      says: 'cannot be served: {problem}',
      todo: 'Correct its driver and settings in the console, or update the gateway.',
    },
    'camera.clock_wrong': {
      says: 'its clock is wrong by {off_s}',
      todo: 'Set its clock in its own settings, and let it follow a time server.',
    },
    'camera.problem': {
      says: '{problem}',
      todo: 'Look at the camera: its power, its network, its password, and where it sends its reads to.',
    },
    'camera.without_key': {
      says: 'pushes without a key: whoever has its address is heard in its name',
      todo: 'Give it a push key if it can have one; else keep the cameras in a network of their own.',
    },
    'decision.opens': { says: 'plate {plate} would open {product}: {reason}' },
    'decision.admits': { says: 'plate {plate} would be let in, and nothing opened, as no product is set: {reason}' },
    'decision.denies': { says: 'plate {plate} would be refused: {reason}' },
    'decision.undecided': {
      says: 'nothing would be decided on plate {plate}: its direction is not known',
      todo: 'Set the camera’s direction to in or out, or let its direction come from what it reports.',
    },
    'decision.held_closed': {
      says: 'plate {plate} would be let in, but {product} is held closed and stays so',
      todo: 'End that in the console when it is not wanted: clear “stay closed”.',
    },
    'decision.no_zone': {
      says: 'its zone is not in the configuration: only members would be let in',
      todo: 'Connect the gateway to its cloud; look at the camera’s zone in the console.',
    },
    'decision.no_product': {
      says: 'is to open {product}, which this gateway does not know: nothing would open',
      todo: 'Connect the gateway to its cloud; look at the camera’s product in the console.',
    },
    'sensor.ok': { says: 'online, places: {places}' },
    'sensor.none': { says: 'this gateway has no sensors' },
    'sensor.offline': {
      says: 'is not heard: {problem}',
      todo: 'Has it power and network? Is its address in the console right?',
    },
    'sensor.silent': {
      says: 'silent sensors: {places}',
      todo: 'Look at their batteries, and at what stands between them and their receiver.',
    },
    'sensor.fault': {
      says: '{problem}',
      todo: 'Look at the settings of the sensors in the console (Devices, Sensors).',
    },
    'display.ok': { says: 'shows its text' },
    'display.none': { says: 'this gateway has no displays' },
    'display.fault': {
      says: 'does not show its text: {problem}',
      todo: 'Has it power and network? It is tried again by itself every minute.',
    },
    'display.waiting': {
      says: 'has taken no text yet',
      todo: 'Wait a minute. If it still shows nothing, look at its address in the console (Displays).',
    },
    'clock.ok': { says: 'is right, by {source}' },
    'clock.unknown': {
      says: 'is not known (it shows {time}): times are estimated, and nothing opens that needs the time',
      todo: 'Connect the gateway to a network with a time server, or to its cloud: its clock is set by itself.',
    },
    'clock.time_unknown': { says: 'shows {time}, and nothing here says whether that is right' },
    'clock.off': {
      says: 'is {off_s±}, compared with the cloud',
      todo: 'Its time service is off, or reaches no time server: whoever looks after the device has to see to it.',
    },
    'clock.synchronised': { says: 'follows a time server' },
    'clock.unsynchronised': {
      says: 'follows no time server at present',
      todo: 'Does the network let UDP port 123 out? Its time service needs it.',
    },
    'clock.sync_unknown': { says: 'unknown whether it follows a time server: this system does not say' },
    'clock.battery': { says: 'has a clock with a battery, which goes on without power' },
    'clock.no_battery': { says: 'has no clock with a battery: after a power cut it needs network to know the time' },
    'store.ok': { says: 'in order, {size_bytes}' },
    'store.failed': {
      says: 'nothing can be kept: {problem}',
      todo: 'Make room on the disk, or change it when it is read-only; then restart the gateway.',
    },
    'store.quarantined': {
      says: 'was damaged and begun anew; the old one is {path}',
      todo: 'Keep that file for support, and look at the disk below.',
    },
    'queue.ok': { says: '{waiting} to send' },
    'queue.old': {
      says: '{waiting} to send, the oldest has waited for {oldest_s}',
      todo: 'Connect the gateway to its cloud: nothing is lost while there is room.',
    },
    'queue.full': {
      says: 'is {percent} % full: of what waits, the oldest pictures are given up first',
      todo: 'Connect the gateway to its cloud soon; reads and openings are kept longest.',
    },
    'disk.ok': { says: '{free_bytes} free ({percent} %)' },
    'disk.low': { says: 'only {free_bytes} free ({percent} %)', todo: 'Call support: old files have to be removed.' },
    'disk.full': {
      says: 'is full ({free_bytes} free): nothing more can be kept',
      todo: 'Call support now: old files have to be removed.',
    },
    'disk.no_inodes': {
      says: 'can take no more files ({free} left), although there is room: nothing new can be kept',
      todo: 'Call support now: old files have to be removed.',
    },
    'disk.read_only': {
      says: 'is read-only: {problem}',
      todo: 'A memory card turns so when it wears out: change it. Else restart the device.',
    },
    'disk.unwritable': {
      says: 'the folder {path} cannot be written to: {problem}',
      todo: 'Call support: its folder has to be given back to the gateway.',
    },
    'disk.unknown': {
      says: 'could not be looked at ({path}): {problem}',
      todo: 'Call support: its folder cannot be looked at.',
    },
    'wear.ok': { says: 'at most {percent} % of its life used' },
    'wear.worn': { says: '{percent} % of its life used', todo: 'Change it within the next months; take a backup now.' },
    'wear.ending': { says: 'at the end of its life', todo: 'Take a backup and change it now.' },
    'wear.unknown': { says: 'unknown: this disk does not tell its wear' },
    'power.ok': { says: 'voltage is in order' },
    'power.low': {
      says: 'the voltage is too low now: the device may stop at any moment',
      todo: 'Use the maker’s power supply and a short, thick cable; take USB devices off.',
    },
    'power.was_low': {
      says: 'the voltage was too low since the start',
      todo: 'Use the maker’s power supply and a short, thick cable; take USB devices off.',
    },
    'power.unknown': { says: 'unknown: this device does not tell its voltage' },
    'heat.ok': { says: '{celsius} °C' },
    'heat.high': { says: '{celsius} °C: hot', todo: 'Give the case air or shade.' },
    'heat.critical': {
      says: '{celsius} °C: too hot, the device slows down or stops',
      todo: 'Give the case air or shade now.',
    },
    'heat.unknown': { says: 'unknown: this device does not tell its temperature' },
    'memory.ok': { says: '{free_bytes} free' },
    'memory.low': {
      says: 'only {free_bytes} free',
      todo: 'End other programs on this device, or use one with more memory.',
    },
    'memory.unknown': { says: 'unknown: this system does not tell its memory' },
    ...EN_REACH,
    'check.late': {
      says: 'the check “{check}” did not end in time',
      todo: 'Run doctor again; if it comes back, restart the gateway.',
    },
    'check.failed': {
      says: 'the check “{check}” failed itself: {problem}',
      todo: 'Run doctor again; if it comes back, tell support.',
    },
  },
};
