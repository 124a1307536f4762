/**
 * The words for people at a shell, where commands are English: those of the pages in English, whose advice names commands here, and those for a
 * gateway that does not answer, or is not what is installed.
 */
import type { DoctorWords, FindingWords, ShellFindingId } from '../../shared/doctor/doctor-words.js';
import { EN } from '../../shared/doctor/en.js';
import type { FindingId } from '../../shared/doctor/findings.js';

const SHELL_FINDINGS: Record<ShellFindingId, FindingWords> = {
  'gateway.not_running': {
    says: 'does not run: nothing answers at {url}; only the device was checked',
    todo: 'Start it: systemctl start parking-agent, or parking-agent run. If it runs, is AGENT_HTTP_PORT the same here?',
  },
  'gateway.not_asked': {
    says: 'runs, but could not be asked: {problem}; only the device was checked',
    todo: 'Look at its log, and restart it: systemctl restart parking-agent.',
  },
  'gateway.other_version': {
    says: 'version {running} runs, {installed} is installed',
    todo: 'Restart it: systemctl restart parking-agent.',
  },
  'gateway.erasing': {
    says: 'its erasure was begun and is not finished: the next start goes on with it',
    todo: 'Start it, and the erasure goes on: systemctl start parking-agent, or parking-agent run. Then claim it anew; put no backup back.',
  },
  'gateway.identity_unreadable': {
    says: 'its identity can be read only by its own user: {path}',
    todo: 'Run doctor as that user or with sudo to check cloud and broker, too.',
  },
  'gateway.identity_damaged': {
    says: 'its identity is damaged: {path}',
    todo: 'Put a backup of the file back; without one move it away and claim the gateway anew.',
  },
  'gateway.port_taken': {
    says: 'cannot start: its port {port} is held by {program}',
    todo: 'End that program (the number is its process), or set AGENT_HTTP_PORT to a free port.',
  },
  'gateway.port_refused': {
    says: 'cannot start: {problem}',
    todo: 'Correct AGENT_HTTP_HOST and AGENT_HTTP_PORT, then start it: systemctl restart parking-agent.',
  },
};

/**
 * The advice on findings that pages show, too, with its commands. `{fact}` stands for a fact, `{about}` for the name of the thing, by which commands find it.
 * A camera's advice says first what can be done on the device, without a cloud.
 */
const ADVICE: Partial<Record<keyof DoctorWords['findings'], string>> = {
  'gateway.unclaimed':
    'Make a claim code in the console (Devices, Gateways), then: parking-agent claim --cloud URL --code CODE.',
  'gateway.deleted':
    'If that was a mistake, make a gateway and a claim code in the console, then: parking-agent claim --cloud URL --code CODE.',
  'gateway.replaced':
    'If that was meant, there is nothing to do. Else make a claim code for the gateway in the console, then: parking-agent claim --cloud URL --code CODE.',
  'gateway.reset':
    'Make a claim code in the console (Devices, Gateways), then: parking-agent claim --cloud URL --code CODE.',
  'radio.off': 'Set BLE_HCI to the adapter (hci0), and restart the gateway.',
  'radio.unavailable':
    'Is an adapter plugged in (hciconfig -a)? Is it blocked (rfkill list)? May the gateway use it (CAP_NET_RAW)?',
  'radio.held':
    'End it, the number is its process, and keep it from starting; of bluetoothd: sudo systemctl disable --now bluetooth, then: sudo hciconfig hci0 up.',
  'radio.adapter_gone': 'Plug it in again, or take it out of BLE_HCI.',
  'product.jammed': 'Look what blocks it, and take it away. Then: parking-agent doctor --cycle "{about}" --yes.',
  'product.no_clock':
    'This sets its clock: parking-agent doctor --cycle "{about}" --yes. If it comes back, its backup battery is worn out.',
  'product.error': 'Go there and look; when it is put right: parking-agent doctor --cycle "{about}" --yes.',
  'camera.quiet':
    'Drive a vehicle past it: parking-agent cameras test "{about}"; if nothing comes, point it here: parking-agent cameras setup "{about}" --yes.',
  'camera.unheard':
    'Drive a vehicle past it: parking-agent cameras test "{about}". If nothing comes, look at its power and network.',
  'camera.offline':
    'Has it power and network? Find it: parking-agent cameras discover; give it its old address on its own web page, or enter the new one in the console.',
  'camera.stranger':
    'Find the camera: parking-agent cameras discover; give it {address} on its own web page, or correct address, port or driver in the console. Then: parking-agent cameras test "{about}".',
  'camera.no_interface':
    'Which camera is it: parking-agent cameras discover. Switch the interface on at its own web page, or correct driver or port in the console. Then: parking-agent cameras test "{about}".',
  'camera.redirects':
    'Switch the redirection off at its own web page, or, if {to} is the camera, make that its address in the console. Then: parking-agent cameras test "{about}".',
  'camera.refused':
    'Give it back, at its own web page, the user name and password that it had, or enter the new ones in the console (Devices, Cameras). Then: parking-agent cameras test "{about}".',
  'camera.wrong_driver':
    'Which camera is it: parking-agent cameras discover. If it is of this driver, its right push address, without the key, is in: parking-agent cameras setup "{about}". Else correct its driver in the console.',
  'camera.misdirected':
    'If it is one of this gateway’s cameras (parking-agent cameras list), point it here: parking-agent cameras setup NAME --yes. If it belongs to another gateway of the lot, do so there.',
  'camera.without_key':
    'Give it a push key in the console, if it can have one, then: parking-agent cameras setup "{about}" --yes. Else keep the cameras in a network of their own.',
  'camera.unserved':
    'Which camera is it: parking-agent cameras discover. Correct its driver and settings in the console, or update the gateway: parking-agent update.',
  'camera.wrong_key':
    'This writes its key into it, without the cloud, too: parking-agent cameras setup "{about}" --yes. One that is set by hand needs its push address from the console.',
  'camera.not_understood': 'It was put aside. What a mapping would read in it: parking-agent cameras map "{about}".',
  'camera.clock_wrong':
    'Let it follow a time server: parking-agent cameras setup "{about}" --ntp HOST --yes; then: parking-agent cameras clock "{about}".',
  'camera.problem': 'Test it: parking-agent cameras test "{about}".',
  'sensor.silent': 'Look at their batteries, and at: parking-agent sensors test "{about}".',
  'sensor.fault': 'See: parking-agent sensors test "{about}".',
  'display.fault': 'Has it power and network? Try: parking-agent displays test "{about}".',
  'display.waiting': 'Wait a minute, then: parking-agent displays test "{about}".',
  'clock.unknown': 'Connect the gateway to a network with a time server, or set it: sudo date -s "YYYY-MM-DD HH:MM".',
  'clock.off': 'Switch its time service on: sudo timedatectl set-ntp true.',
  'clock.unsynchronised':
    'Switch its time service on: sudo timedatectl set-ntp true. Does the network let UDP port 123 out?',
  'disk.low': 'Remove old logs and files: journalctl --vacuum-size=100M.',
  'disk.full': 'Remove old logs and files now: journalctl --vacuum-size=100M.',
  'disk.no_inodes':
    'Find the folder with very many small files, and empty it: df -i, then du --inodes -x / | sort -n | tail.',
  'disk.unwritable': 'Give it to the user of the gateway: chown -R, or correct AGENT_DATA_DIR.',
  'disk.unknown': 'Correct AGENT_DATA_DIR, or run doctor as the user of the gateway.',
  'network.down': 'Is the cable in, and do its lights shine? Is the Wi-Fi set up (nmcli device)?',
  'network.no_route': 'Does the router give addresses (DHCP)? Else set its address as gateway (nmcli).',
  'dns.failed': 'Is the name right? See what its name server says: resolvectl query NAME, or getent ahosts NAME.',
  'dns.half': 'Connections may be slow: use another name server (resolvectl status, /etc/resolv.conf).',
  'dns.silent':
    'It stands in /etc/resolv.conf, mostly by the router (DHCP): does that answer (ping)? Else set another one: nmcli, ipv4.dns.',
  'dns.no_server': 'Renew what the router gives (nmcli device reapply), or put one into /etc/resolv.conf.',
  'dns.no_such_name': 'Is the name right? If it is, this name server is the wrong one: set another (nmcli, ipv4.dns).',
  'dns.wrong': 'It blocks this name or does not know it: allow it there, or set another name server (nmcli, ipv4.dns).',
  'dns.slow': 'Take it out of /etc/resolv.conf, or of what the router gives (DHCP); nmcli, ipv4.dns.',
  'network.dead_v6': 'Mend the IPv6 of this network, or switch it off for this device: nmcli, ipv6.method disabled.',
  'broker.unreachable': 'Does the router or a firewall let its port out? Is MQTT_PUBLIC_URL of the cloud right?',
  'authority.near_end': 'Make a new authority (parking-cloud ca init), and claim the gateways anew before that.',
  'authority.ended': 'Make a new authority (parking-cloud ca init), and claim the gateways anew.',
};

export const SHELL_WORDS = {
  ...EN,
  findings: { ...withAdvice(), ...SHELL_FINDINGS },
} satisfies DoctorWords & { findings: Record<FindingId, FindingWords> };

function withAdvice(): DoctorWords['findings'] {
  const findings = { ...EN.findings };
  for (const [id, todo] of Object.entries(ADVICE) as [keyof typeof findings, string][]) {
    findings[id] = { ...findings[id], todo };
  }
  return findings;
}
