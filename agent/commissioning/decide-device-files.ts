/**
 * Turns the wishes of the claim file for the device itself into files of its system: for NetworkManager (Raspberry Pi
 * OS), or systemd-networkd. Pure.
 */
import type { ClaimFileNetwork } from '../../shared/claim-file.js';

export interface DeviceFile {
  /** Below the root of the device. */
  path: string;
  mode: number;
  text: string;
}

/** Everything that a claim file may have made: files that a later one does not want are removed. */
export const DEVICE_FILES = {
  nmWifi: '/etc/NetworkManager/system-connections/parking-wifi.nmconnection',
  nmCable: '/etc/NetworkManager/system-connections/parking-cable.nmconnection',
  networkdWifi: '/etc/systemd/network/20-parking-wifi.network',
  networkdCable: '/etc/systemd/network/20-parking-cable.network',
  supplicant: '/etc/wpa_supplicant/wpa_supplicant-wlan0.conf',
  country: '/etc/modprobe.d/parking-wifi-country.conf',
} as const;

const SECRET = 0o600;
const READABLE = 0o644;

type Wifi = NonNullable<ClaimFileNetwork['wifi']>;
type Static = NonNullable<ClaimFileNetwork['static']>;

export function decideDeviceFiles({ wifi, static: fixed }: ClaimFileNetwork, hasNetworkManager: boolean): DeviceFile[] {
  const ofWifi = fixed?.on === 'wifi' ? fixed : undefined;
  const ofCable = fixed?.on === 'cable' ? fixed : undefined;
  return [
    ...(wifi === undefined ? [] : wifiFiles(wifi, ofWifi, hasNetworkManager)),
    ...(ofCable === undefined ? [] : [cableFile(ofCable, hasNetworkManager)]),
  ];
}

function wifiFiles(wifi: Wifi, fixed: Static | undefined, hasNetworkManager: boolean): DeviceFile[] {
  const country = {
    path: DEVICE_FILES.country,
    mode: READABLE,
    text: `options cfg80211 ieee80211_regdom=${wifi.country}\n`,
  };
  if (hasNetworkManager) return [country, { path: DEVICE_FILES.nmWifi, mode: SECRET, text: nmWifi(wifi, fixed) }];
  return [
    country,
    { path: DEVICE_FILES.supplicant, mode: SECRET, text: supplicant(wifi) },
    { path: DEVICE_FILES.networkdWifi, mode: READABLE, text: networkd('wlan', fixed) },
  ];
}

const cableFile = (fixed: Static, hasNetworkManager: boolean): DeviceFile =>
  hasNetworkManager
    ? {
        path: DEVICE_FILES.nmCable,
        mode: SECRET,
        text: lines('[connection]', 'id=parking-cable', 'type=ethernet', '', ...nmAddress(fixed)),
      }
    : { path: DEVICE_FILES.networkdCable, mode: READABLE, text: networkd('ether', fixed) };

function nmWifi({ ssid, password }: Wifi, fixed: Static | undefined): string {
  // As bytes, so that no character of a name means anything to the file.
  const bytes = [...new TextEncoder().encode(ssid)].map((byte) => `${byte};`).join('');
  return lines(
    '[connection]',
    'id=parking-wifi',
    'type=wifi',
    '',
    '[wifi]',
    `ssid=${bytes}`,
    '',
    ...(password === undefined ? [] : ['[wifi-security]', 'key-mgmt=wpa-psk', `psk=${keyFileText(password)}`, '']),
    ...nmAddress(fixed),
  );
}

/** GLib's key files: a backslash begins an escape, and spaces at the ends are lost. */
const keyFileText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replace(/^ +| +$/g, (spaces) => '\\s'.repeat(spaces.length));

function nmAddress(fixed: Static | undefined): string[] {
  if (fixed === undefined) return ['[ipv4]', 'method=auto'];
  const { address, gateway, dns } = fixed;
  return [
    '[ipv4]',
    'method=manual',
    `address1=${address}${gateway === undefined ? '' : `,${gateway}`}`,
    ...(dns.length === 0 ? [] : [`dns=${dns.map((each) => `${each};`).join('')}`]),
  ];
}

function supplicant({ ssid, password, country }: Wifi): string {
  const hex = [...new TextEncoder().encode(ssid)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  // 64 digits are the key itself.
  const key = password === undefined ? 'key_mgmt=NONE' : `psk=${password.length === 64 ? password : `"${password}"`}`;
  return lines(
    'ctrl_interface=/run/wpa_supplicant',
    `country=${country}`,
    'network={',
    `  ssid=${hex}`,
    '  scan_ssid=1',
    `  ${key}`,
    '}',
  );
}

function networkd(type: 'ether' | 'wlan', fixed: Static | undefined): string {
  const match = ['[Match]', `Type=${type}`, 'Kind=!*', '', '[Network]', 'MulticastDNS=yes', 'LLMNR=no'];
  if (fixed === undefined) return lines(...match, 'DHCP=yes');
  const { address, gateway, dns } = fixed;
  return lines(
    ...match,
    `Address=${address}`,
    ...(gateway === undefined ? [] : [`Gateway=${gateway}`]),
    ...dns.map((each) => `DNS=${each}`),
  );
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`;
