import type { EquipmentFindingWords } from '../doctor-words.js';

export const EQUIPMENT_EN: EquipmentFindingWords = {
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
  'radio.held': {
    says: 'is used by {program}, not by the gateway: no product can be opened',
    todo: 'End that program, and keep it from starting with the device.',
  },
  'radio.adapter_gone': { says: 'adapter {adapter} does not work, others do', todo: 'Plug it in again.' },
  'radio.healed': {
    says: 'healed itself {ago_s} ago ({step})',
    todo: 'If that comes back, put the adapter on another USB port or an extension cable, away from USB 3 devices.',
  },
  'product.ok': { says: 'in range ({rssi} dBm, heard {seen_s} ago), may act alone for {days} days' },
  'product.days_unknown': {
    says: 'in range ({rssi} dBm, heard {seen_s} ago); for how long it may be opened without the cloud is not known, as the time is not',
  },
  'product.elsewhere_unknown': {
    says: 'is not heard here; whether {gateways} hears it is not known here: its place in the console says so',
  },
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
  'product.jammed': {
    says: 'is jammed: it moved and did not arrive',
    todo: 'Look what blocks it, and take it away. Then open and close it once: that ends the error.',
  },
  'product.dirty': {
    says: 'its sensor is dirty: it opens, but does not close',
    todo: 'Wipe the sensor, and look what stands in front of it.',
  },
  'product.no_clock': {
    says: 'has lost its time: it refuses keys of guests until its clock is set',
    todo: 'Open and close it once: the gateway sets its clock with that. If it comes back, its backup battery is worn out.',
  },
  'product.held_open': {
    says: 'is held open and stays so: nobody is stopped',
    todo: 'If that is not wanted, end it: choose “End holding open” at the product.',
  },
  'product.held_closed': {
    says: 'is held closed and stays so: no vehicle is let in there',
    todo: 'If that is not wanted, end it: choose “End holding closed” at the product.',
  },
  'product.other_key': {
    says: 'is heard, but has another key: it was paired elsewhere, or stands in for another one',
    todo: 'Pair it anew in the console (Products): reset it inside its housing first, or unpair it where it was paired.',
  },
  'product.key_refused': {
    says: 'refused this gateway’s key at its last command: it was paired anew, or this key was revoked',
    todo: 'Connect the gateway to its cloud, which renews the key. If it refuses that, too, pair it anew in the console (Products).',
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
    says: 'its clock is {off_s±}',
    todo: 'Connect the gateway to its cloud, which sets it right.',
  },
  'cycle.ok': { says: 'opened in {open_s} and closed in {close_s}' },
  'cycle.failed': {
    says: 'did not {operation}: {problem}',
    todo: 'Look whether something blocks it, then at its range and battery above; try again.',
  },
  'camera.ok': { says: 'is there, last heard {seen_s} ago' },
  'camera.unknown': {
    says: 'last heard {seen_s} ago; whether it is there now is not known: cameras of this kind cannot be asked',
  },
  'camera.none': { says: 'this gateway has no cameras' },
  'camera.quiet': {
    says: 'answers, but has sent nothing for a day or since the gateway started',
    todo: 'Drive a vehicle past it. If nothing comes, look at where the camera sends its reads to.',
  },
  'camera.unheard': {
    says: 'has sent nothing since the gateway started, and cannot be asked: whether it works is not known',
    todo: 'Drive a vehicle past it. If nothing comes, look at its power and network, and where it sends its reads to.',
  },
  'camera.offline': {
    says: 'does not answer: {problem}',
    todo: 'Has it power and network? Is its address in the console right?',
  },
  'camera.stranger': {
    says: 'at {address} answers something else than a camera of driver {driver}: {answer}',
    todo: 'Is it another device? Correct address and port of the camera in the console, or its driver.',
  },
  'camera.no_interface': {
    says: '{address} answers, but not the interface of driver {driver} ({answer}): wrong driver or wrong port',
    todo: 'Open that address in a browser: which camera is it? Correct its driver, or the port in its address, in the console.',
  },
  'camera.redirects': {
    says: '{address} redirects to {to}: the gateway does not follow, as it would show the password there',
    todo: 'If that is the camera, set {to} as its address in the console; else correct the address.',
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
    says: 'its clock is {off_s±}',
    todo: 'Set its clock in its own settings, and let it follow a time server.',
  },
  'camera.problem': {
    says: '{problem}',
    todo: 'Look at the camera: its power, its network, its password, and where it sends its reads to.',
  },
  'camera.wrong_key': {
    says: 'pushes with a key that is not its own (from {from}): nothing of it is read',
    todo: 'Its push key in the console has changed, or it was typed wrongly: set it up anew, or enter its push address from the console in it.',
  },
  'camera.wrong_driver': {
    says: 'pushes to the address of driver {posted} (from {from}), but its driver here is {driver}: nothing of it is read',
    todo: 'Which camera is it? Correct its driver in the console, or the address that it pushes to.',
  },
  'camera.not_understood': {
    says: 'sends what is not understood: {problem}',
    todo: 'It was put aside. Is its driver right, and the format that it sends? From what was put aside, a mapping can be made.',
  },
  'camera.misdirected': {
    says: 'somebody at {from} pushes as {camera}, which is no camera of this gateway',
    todo: 'If it belongs to another gateway of the lot, let it push there. Else look at the device id in its push address.',
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
  'sensor.unheard': {
    says: 'was not heard for three heartbeats, and nothing is known of the reason',
    todo: 'Has it power and network? Are its settings in the console right: address, unit, application?',
  },
  'sensor.no_places': {
    says: 'has no places: nothing is asked of it',
    todo: 'Give places of the lot its sensors in the console (Devices, Sensors).',
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
};
