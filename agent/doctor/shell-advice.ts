/** The advice on findings with its commands, for people at a shell. Pages show that of `shared/doctor`, which has none. */
import type { FindingId } from '../../shared/doctor/findings.js';

/** In English, as all that the program prints. `{fact}` stands for a fact, `{about}` for the name of the thing, by which commands find it. */
export const SHELL_ADVICE: Partial<Record<FindingId, string>> = {
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
  'radio.adapter_gone': 'Plug it in again, or take it out of BLE_HCI.',
  'product.jammed': 'Look what blocks it, and take it away. Then: parking-agent doctor --cycle "{about}" --yes.',
  'product.no_clock':
    'This sets its clock: parking-agent doctor --cycle "{about}" --yes. If it comes back, its backup battery is worn out.',
  'product.error': 'Go there and look; when it is put right: parking-agent doctor --cycle "{about}" --yes.',
  'camera.quiet':
    'Drive a vehicle past it: parking-agent cameras test "{about}"; if nothing comes: parking-agent cameras setup "{about}".',
  'camera.unheard':
    'Drive a vehicle past it: parking-agent cameras test "{about}". If nothing comes, look at its power and network.',
  'camera.wrong_key': 'Set it up anew, which writes its key into it: parking-agent cameras setup "{about}".',
  'camera.not_understood': 'It was put aside. What a mapping would read in it: parking-agent cameras map "{about}".',
  'camera.clock_wrong':
    'Let it follow a time server: parking-agent cameras setup "{about}" --ntp HOST; then: parking-agent cameras clock "{about}".',
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
