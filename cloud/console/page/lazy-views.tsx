/** Views that come as scripts of their own: who opens a gate does not wait for what is set up once. */
import { signal } from '@preact/signals';
import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { Empty, Refused } from './parts.js';
import { loadServiceWords } from './rare-words.js';
import { refusalOf } from './session.js';

const loads: (() => Promise<void>)[] = [];

/**
 * A view whose script is loaded when it is shown, or before, when nothing else is to be done. Where it cannot be loaded, the view says so,
 * and that a newer service has other files.
 * @param load of the script, such as `async () => (await import('./keys-view.js')).KeysView`
 */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): FunctionComponent<Props> {
  const view = signal<ComponentType<Props> | null>(null);
  const refusal = signal<Refusal | null>(null);
  let loading: Promise<void> | undefined;
  const begin = (): Promise<void> =>
    (loading ??= load().then(
      (found) => void (view.value = found),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    ));
  const show = () => {
    refusal.value = null;
    begin().catch((error: unknown) => (refusal.value = refusalOf(error)));
  };
  loads.push(begin);
  return function LazyView(props) {
    const { value: View } = view;
    useEffect(() => {
      if (View === null) show();
    }, [View]);
    if (View !== null) return <View {...props} />;
    if (refusal.value !== null) return <Refused refusal={refusal.value} onAgain={show} />;
    return <Empty>{words.loading}</Empty>;
  };
}

/** Loads all of them, and first the words of the service, one after the other, so that a view is there when the network is gone. What fails is loaded when it is shown. */
export async function loadViews(): Promise<void> {
  for (const load of [loadServiceWords, ...loads]) await load().catch(() => undefined);
}
