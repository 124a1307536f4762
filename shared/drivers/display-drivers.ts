/**
 * The drivers of displays: their names in configuration, REST and site file, and what each requires of a display's settings. This is the only
 * list of them: the cloud validates with it, and a gateway registers each of its drivers under one of these names.
 */
import { z } from 'zod';
import { type SettingProblem, settingProblems } from './setting-problems.js';

interface DisplayDriverInfo {
  /** The name of the protocol or device for people. */
  label: string;
  /** The requirements of the driver beyond each setting's own limits. */
  settings: z.ZodType;
}

/** The limits of any display's address and template. */
const limits = { address: z.string().max(500), template: z.string().max(2_000) };

const HTTP_FORM = 'must be that of the display, such as http://192.168.1.60/show';

const MODBUS_PORT_DEFAULT = 502;
const REGISTER_MAX = 65_535;
/** How many registers one request may write (Modbus Application Protocol, 6.12). */
const REGISTERS_MAX = 123;
const MODBUS_FORM = 'must be such as modbus://192.168.1.70:502/1?register=0&length=8&mode=text';

const modbusDisplaySchema = z.object({
  host: z.string().min(1),
  port: z.number().int(),
  unit: z.coerce.number().int().min(0).max(255),
  register: z.coerce.number().int().min(0).max(REGISTER_MAX).default(0),
  length: z.coerce.number().int().min(1).max(REGISTERS_MAX).default(8),
  mode: z.enum(['text', 'number']).default('text'),
});
export type ModbusDisplay = z.output<typeof modbusDisplaySchema>;

/** Parses the address of a display behind Modbus TCP; null when it is not one. */
export function modbusDisplayOf(address: string): ModbusDisplay | null {
  if (!address.startsWith('modbus://') || !URL.canParse(address)) return null;
  const url = new URL(address);
  const given = {
    ...Object.fromEntries(url.searchParams),
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? MODBUS_PORT_DEFAULT : Number(url.port),
    unit: url.pathname.replace(/^\//, '') || '1',
  };
  return modbusDisplaySchema.safeParse(given).data ?? null;
}

const ZHENSHI_FORM = 'must be zhenshi://KEY?channel=0; its camera posts to /displays/KEY';
const ZHENSHI_TEMPLATE_FORM = 'must be bytes in hexadecimal, with {text}, {length} and {crc}';
const ZHENSHI_TEMPLATE = /^(\s*([0-9a-fA-F]{2}|\{(text|length|crc)\}))*\s*$/;
/** Cameras have one or two serial lines. */
const CHANNEL_MAX = 15;

export interface ZhenshiDisplay {
  /** The key that the camera sends when it polls. */
  key: string;
  /** The number of the camera's serial line. */
  channel: number;
}

/** Parses the address of a display behind a Zhenshi camera; null when it is not one. */
export function zhenshiDisplayOf(address: string): ZhenshiDisplay | null {
  const [, key, , query = ''] = /^zhenshi:\/\/([A-Za-z0-9_-]{1,200})(\?(.*))?$/.exec(address) ?? [];
  const channel = new URLSearchParams(query).get('channel') ?? '0';
  if (key === undefined || !/^\d{1,2}$/.test(channel) || Number(channel) > CHANNEL_MAX) return null;
  return { key, channel: Number(channel) };
}

export const DISPLAY_DRIVERS = {
  http: {
    label: 'HTTP',
    settings: z.object({
      address: z.string().refine((given) => /^https?:\/\//.test(given) && URL.canParse(given), HTTP_FORM),
    }),
  },
  modbus: {
    label: 'Modbus TCP',
    settings: z.object({ address: z.string().refine((given) => modbusDisplayOf(given) !== null, MODBUS_FORM) }),
  },
  zhenshi: {
    label: 'Zhenshi (screen behind the camera)',
    settings: z.object({
      address: z.string().refine((given) => zhenshiDisplayOf(given) !== null, ZHENSHI_FORM),
      template: z.string().regex(ZHENSHI_TEMPLATE, ZHENSHI_TEMPLATE_FORM),
    }),
  },
} as const satisfies Record<string, DisplayDriverInfo>;

export type DisplayDriverName = keyof typeof DISPLAY_DRIVERS;
export const DISPLAY_DRIVER_NAMES = Object.keys(DISPLAY_DRIVERS) as [DisplayDriverName, ...DisplayDriverName[]];

/** The allowed values of a display's `driver`. Empty: it has none yet. */
export const displayDriverSchema = z.enum(['', ...DISPLAY_DRIVER_NAMES]);

/**
 * Finds the problems that a driver has with the settings of a display, at most one per setting. There are none for '' and for an unknown
 * driver, which only old displays have.
 */
export function displaySettingProblems(
  driver: unknown,
  settings: Readonly<Record<'address' | 'template', unknown>>,
): SettingProblem[] {
  const name = z.enum(DISPLAY_DRIVER_NAMES).safeParse(driver).data;
  return name === undefined ? [] : settingProblems(DISPLAY_DRIVERS[name].settings, { settings, limits });
}

/** Explains in words for people why a driver cannot work with these settings; null: it can. */
export function displaySettingsFault(
  driver: DisplayDriverName,
  { address, template }: { address: string; template: string },
): string | null {
  const problems = displaySettingProblems(driver, { address, template });
  return problems.length === 0 ? null : problems.map(({ field, reason }) => `${field} ${reason}`).join('; ');
}
