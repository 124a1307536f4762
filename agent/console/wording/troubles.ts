/**
 * Lists the troubles of this gateway that need a person, the worst first: nothing opens, nobody is let in, nobody sees,
 * and what is to come.
 */
import type { LocalView } from '../view/local-view.js';
import type { LocalWords } from './en.js';

const BATTERY_LOW_PERCENT = 20;

/** @param timeOf writes an ISO datetime for people */
export function troublesOf(view: LocalView, words: LocalWords, timeOf: (iso: string) => string): string[] {
  const { troubles: say } = words;
  const { store, cloud, clock, name } = view;
  return [
    ...(store.failed === null ? [] : [say.store]),
    ...radioTroubles(view, words),
    ...view.products.flatMap((product) => productTroubles(product, words)),
    ...(cloud.connected ? [] : [cloud.since === null ? say.never : say.alone(timeOf(cloud.since))]),
    ...(name === null ? [say.noConfiguration] : []),
    ...(clock.known ? [] : [say.clock]),
    ...view.cameras.flatMap((camera) =>
      camera.status === 'offline' || camera.problem !== null ? [say.camera(camera.name, camera.problem)] : [],
    ),
    ...view.parking_gateways.flatMap(({ name: gateway, status, fault }) =>
      status === 'offline' || fault !== null ? [say.parkingGateway(gateway, fault)] : [],
    ),
    ...view.displays.flatMap((display) => (display.fault === null ? [] : [say.display(display.name, display.fault)])),
    ...view.products.flatMap((product) => comingTroubles(product, words)),
  ];
}

function radioTroubles({ radio, products }: LocalView, { troubles: say, health }: LocalWords): string[] {
  if (products.length === 0) return [];
  if (radio.state === 'off') return [say.noRadio];
  const bad = radio.adapters.filter(({ state }) => state !== 'on');
  const unwell = bad.map(({ name, state }) => `${name} ${health.radioStates[state] ?? state}`);
  if (radio.state !== 'on' && unwell.length === 0) return [say.radio(health.radioStates[radio.state] ?? radio.state)];
  return unwell.length === 0 ? [] : [say.radio(unwell.join(', '))];
}

function productTroubles(product: LocalView['products'][number], words: LocalWords): string[] {
  const { troubles: say, productErrors } = words;
  const { name, errors } = product;
  if (!product.paired) return [say.unpaired(name)];
  const [error] = errors;
  return [
    ...(error === undefined && product.state !== 'error'
      ? []
      : [say.productError(name, productErrors[error ?? 'other'])]),
    ...(product.status === 'offline' ? [say.unheard(name)] : []),
    ...(product.credential_days_left === 0 ? [say.credentialOver(name)] : []),
  ];
}

/** Lists the things that will stop working unless somebody acts. */
function comingTroubles(product: LocalView['products'][number], words: LocalWords): string[] {
  const { troubles: say } = words;
  const { name, battery, credential_days_left: days } = product;
  return [
    ...(product.is_credential_low && days !== null && days > 0 ? [say.credentialLow(name, words.days(days))] : []),
    ...(battery !== null && battery <= BATTERY_LOW_PERCENT ? [say.battery(name, battery)] : []),
  ];
}
