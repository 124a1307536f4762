import { GATE_WORDS } from '../wording/en.js';
import type { DoctorWords } from './doctor-words.js';
import { EQUIPMENT_EN } from './equipment/en.js';
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
    pin_broken: 'a pin is broken: it needs a technician',
    battery_empty: 'its battery is empty: charge or change it',
    other: 'it does not say which',
    ...GATE_WORDS.decisions.reasons,
    cloud: 'the cloud',
    device: 'this device',
    open: 'open',
    close: 'close',
    no_address: 'its name has no address',
    no_tls: 'it speaks no TLS',
    other_gateway: 'another gateway of this lot',
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
    'gateway.no_configuration': {
      says: 'is claimed, but has no configuration yet: it decides nothing',
      todo: 'Connect it to its cloud once, and put it into a lot in the console.',
    },
    'gateway.rules_old': {
      says: 'decides by what its cloud said {days} days ago',
      todo: 'Connect the gateway to its cloud. If it is connected and this stays, whoever runs the cloud has to see why nothing new comes.',
    },
    'service.watched': { says: 'systemd starts it again when it ends or hangs' },
    'service.started': { says: 'systemd starts it again when it ends' },
    'service.by_hand': { says: 'not started by systemd: nothing starts it again when it ends' },
    ...EQUIPMENT_EN,
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
