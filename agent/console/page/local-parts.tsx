/** Small parts of this page's views. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { actOf } from './acts.js';

/** A part of a view with its heading. */
export function Part({ title, children }: { title: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/**
 * Shows how a person's action goes, and announces it to screen readers. The line is there beforehand, because they
 * announce only changes in it.
 */
export function ActNotice({ name }: { name: string }) {
  const act = actOf(name);
  const look = { busy: 'notice busy', done: 'notice good', failed: 'notice bad' } as const;
  return (
    <p role="status" class={act === undefined ? 'hidden' : look[act.state]}>
      {act?.sentence ?? ''}
    </p>
  );
}

/** Why something is not there; null: it is. */
export function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p class="notice bad" role="alert">
      {text}
    </p>
  );
}
