import type { ReachWords } from '../doctor-words.js';

export const EN_REACH: ReachWords = {
  'network.ok': { says: '{interfaces}' },
  'network.down': {
    says: 'no network: no interface has an address',
    todo: 'Is the cable in, and do its lights shine? Is the Wi-Fi set up?',
  },
  'network.no_route': {
    says: 'no way out: there is no default route',
    todo: 'Does the router give addresses (DHCP)? Restart it.',
  },
  'network.weak_wifi': {
    says: 'the Wi-Fi is weak ({signal} dBm)',
    todo: 'Use a cable, or move the antenna or the access point.',
  },
  'network.dead_v6': {
    says: 'its IPv6 address {address} does not answer, but IPv4 does: connections begin late',
    todo: 'Whoever runs this network has to mend its IPv6, or switch it off.',
  },
  'dns.ok': { says: 'found (IPv4: {v4}, IPv6: {v6})' },
  'dns.unneeded': { says: 'its address needs no name' },
  'dns.failed': {
    says: 'this name is not found: {problem}',
    todo: 'Is the name right? If it is, whoever runs this network has to see to its name server.',
  },
  'dns.half': {
    says: 'the name server fails for {family}: {problem}',
    todo: 'Connections may be slow. Whoever runs this network has to see to its name server, or give the device another one.',
  },
  'dns.silent': {
    says: 'no name server answers: {servers}',
    todo: 'That is mostly the router: disconnect its power for ten seconds. If it stays silent, this network has to give the device another name server (DHCP).',
  },
  'dns.no_server': {
    says: 'this device was given no name server',
    todo: 'Take the network cable out and put it in again. If it stays so, the router has to give a name server (DHCP).',
  },
  'dns.no_such_name': {
    says: 'name server {server} says that there is no such name',
    todo: 'Is the name right? If it is, this name server is the wrong one: this network has to give the device another (DHCP).',
  },
  'dns.wrong': {
    says: 'name server {server} answers wrongly: {answer}',
    todo: 'It blocks this name, or does not know it: whoever runs this network has to allow the name, or give the device another name server (DHCP).',
  },
  'dns.slow': {
    says: 'name server {servers} does not answer, another one does: connections begin late',
    todo: 'Whoever runs this network has to mend it, or give the device only name servers that answer (DHCP).',
  },
  'cloud.ok': { says: 'answers within {latency_ms} ms' },
  'cloud.slow': {
    says: 'answers slowly: {latency_ms} ms',
    todo: 'Look at the signal of Wi-Fi or mobile network; openings by phone will be slow.',
  },
  'cloud.unreachable': {
    says: 'is not reached: {problem}',
    todo: 'The gateway decides alone meanwhile. Does the router or a firewall let it out, and does the cloud run?',
  },
  'cloud.portal': {
    says: 'something else answers in its place ({answer}): a login page or proxy',
    todo: 'Log this device in at the network’s page, or have the network let it out without one.',
  },
  'cloud.proxy': {
    says: 'this network wants a proxy with a password (407)',
    todo: 'The gateway uses no proxy: whoever runs this network has to let the device out without one.',
  },
  'cloud.unwell': {
    says: 'answers, but is not well (status {status})',
    todo: 'Wait some minutes, then tell whoever runs the cloud.',
  },
  'broker.ok': { says: 'is reached within {latency_ms} ms' },
  'broker.unreachable': {
    says: 'is not reached: {problem}',
    todo: 'Does the router or a firewall let its port out? Else whoever runs the cloud has to look at its address.',
  },
  'broker.refused': {
    says: 'refuses this gateway: {problem}',
    todo: 'Was it deleted, or replaced by another device? Then claim it anew.',
  },
  'session.ok': { says: 'connected for {since_s}' },
  'session.none': {
    says: 'not connected to the cloud for {since_s}',
    todo: 'See cloud and broker here; it connects again by itself.',
  },
  'certificate.ok': { says: 'valid for {days} more days' },
  'certificate.near_end': { says: 'ends in {days} days', todo: 'Whoever runs this host has to renew it.' },
  'certificate.ended': {
    says: 'ended {days} days ago',
    todo: 'Whoever runs this host has to renew it. Is the clock of this device right?',
  },
  'certificate.early': { says: 'is valid only in {days} days', todo: 'Is the clock of this device right?' },
  'certificate.refused': {
    says: 'is not accepted: {problem}',
    todo: 'Is somebody else there, or has the authority changed? Then claim the gateway again.',
  },
  'certificate.other_name': {
    says: 'shows a certificate for {name}, but {expected} is expected',
    todo: 'Nothing is to be done at the device: whoever runs the cloud has to give it a certificate for {expected}.',
  },
  'certificate.foreign': {
    says: 'somebody else answers for {expected}, with a certificate for {name}: a login page of this network, or what looks into its connections',
    todo: 'Log the device in at the network’s page, or have whoever runs this network let it out without one.',
  },
  'authority.ok': { says: 'valid for {days} more days' },
  'authority.near_end': {
    says: 'ends in {days} days',
    todo: 'Whoever runs the service has to make a new authority; the gateways are claimed anew before that.',
  },
  'authority.ended': {
    says: 'ended {days} days ago: the gateway cannot connect any more',
    todo: 'Whoever runs the service has to make a new authority; then the gateways are claimed anew.',
  },
};
