/** The settings of the account that the console follows, read with everything else. */
import { computed, effect, signal } from '@preact/signals';
import { accentsOf } from '../../../shared/accent.js';
import { masksPlates } from './plate-mask.js';
import { client, mayManage } from './session.js';

export type MoneyRight = 'all' | 'payments' | 'none';

/** What Attendants may do with money; null: not known yet. */
export const attendantMoney = signal<MoneyRight | null>(null);

/** Whether the service has answered; until then plates are masked in any case. */
export const areSettingsKnown = computed(() => attendantMoney.value !== null);

const money = computed<MoneyRight>(() => (mayManage.value ? 'all' : (attendantMoney.value ?? 'none')));

/** Whether the person may report what was paid. */
export const mayPay = computed(() => money.value !== 'none');
/** Whether the person may give money back, and grant free minutes. */
export const mayGiveMoney = computed(() => money.value === 'all');

type Settings = Awaited<ReturnType<typeof readSettings>>;
type Face = Omit<Settings, 'id' | 'mask_plates' | 'attendant_money'>;

const readSettings = () => client().get('/v2/account', {});

/** How the account shows itself; null: not known yet. */
export const face = signal<Face | null>(null);

function keepSettings({ id: _id, mask_plates, attendant_money, ...shown }: Settings): void {
  masksPlates.value = mask_plates === 1;
  attendantMoney.value = attendant_money;
  face.value = shown;
}

/** Where the logo is at this service, by whichever name the page was asked for; null: there is none. */
export const logoPath = computed(() => {
  const url = face.value?.logo_url ?? null;
  return url === null ? null : new URL(url).pathname;
});

/** The colour of the account takes the place of the console's own; each scheme has the one that can be read in it. */
effect(() => {
  const { style } = document.documentElement;
  const colour = face.value?.colour ?? null;
  const { light, dark } = colour === null ? { light: null, dark: null } : accentsOf(colour);
  style.setProperty('--accent', light === null ? '' : `light-dark(${light.accent}, ${dark.accent})`);
  style.setProperty('--accent-ink', light === null ? '' : `light-dark(${light.ink}, ${dark.ink})`);
});

export const loadSettings = async (): Promise<void> => keepSettings(await readSettings());

/** Throws as the client does. */
export const changeSettings = async (body: Partial<Omit<Settings, 'id' | 'name' | 'logo_url'>>): Promise<void> =>
  keepSettings(await client().patch('/v2/account', { body }));

/** Throws as the client does. @param image as base64; null: none from now on */
export const changeLogo = async (image: string | null): Promise<void> =>
  keepSettings(
    await (image === null
      ? client().delete('/v2/account/logo', {})
      : client().put('/v2/account/logo', { body: { image } })),
  );

export function forgetSettings(): void {
  attendantMoney.value = null;
  face.value = null;
}
