/** Links by which guests open without an account: made, shown as a QR code, revoked. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { AskButton } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { CallShown, CopyButton, Dialog, Empty, Refused } from './parts.js';
import { ReceiverFields, useReceiver } from './receiver-form.js';
import { client, refusalOf } from './session.js';
import { productOf, timezoneOfLot } from './store.js';
import { useRead } from './use-read.js';

type Weblink = components['schemas']['Weblink'];

const PAGE = 100;

export function Weblinks() {
  const links = useRead('weblinks', (signal) => client().get('/v2/weblinks', { query: { size: PAGE }, signal }));
  return (
    <>
      <h2>{words.keys.links}</h2>
      <MakeLink onMade={links.again} />
      <Refused refusal={links.refusal.value} onAgain={links.again} />
      {links.value.value?.length === 0 && <Empty>{words.keys.noLinks}</Empty>}
      <ul class="stays">
        {links.value.value?.map((link) => (
          <LinkRow key={link.id} link={link} onChanged={links.again} />
        ))}
      </ul>
    </>
  );
}

const NOTHING_MORE = { empty: {}, fields: [], faultsOf: () => ({}) } as const;

function MakeLink({ onMade }: { onMade: () => void }) {
  const receiver = useReceiver('weblink', NOTHING_MORE);
  const { draft, sending, body } = receiver;
  const made = useSignal<{ id: string; name: string; url: string | null } | null>(null);
  const isCopied = useSignal(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    await sending.send(async () => {
      const { id, url } = await client().post('/v2/weblinks', { body, idempotencyKey: draft.key() });
      // Of a link whose first answer was lost there is the code alone, which holds the same.
      made.value = { id, name: body.name, url };
      isCopied.value = false;
      draft.reset();
      onMade();
    });
  };
  return (
    <form class="card invite" noValidate onSubmit={(event) => void send(event)} aria-label={words.keys.makeLink}>
      <p class="facts">{words.keys.linksWhat}</p>
      <ReceiverFields
        receiver={receiver}
        set={draft.set}
        nameLabel={words.keys.linkName}
        productLabel={words.keys.product}
      />
      <Refused refusal={sending.refusal} />
      {made.value !== null && (
        <div class="notice good made" role="status">
          <p>{words.keys.linkShown}</p>
          <QrCode id={made.value.id} name={made.value.name} />
          {made.value.url !== null && (
            <>
              <code>{made.value.url}</code>
              <CopyButton
                text={made.value.url}
                label={words.keys.copyLink}
                isCopied={isCopied.value}
                onCopied={() => (isCopied.value = true)}
              />
            </>
          )}
        </div>
      )}
      <div class="buttons">
        <button type="submit" class="main" aria-disabled={sending.isBusy}>
          {words.keys.makeLink}
        </button>
      </div>
      <CallShown call={{ method: 'POST', path: '/v2/weblinks', body }} />
    </form>
  );
}

/** The service draws it, and asks for the token: an `<img>` alone could not show it. */
function QrCode({ id, name }: { id: string; name: string }) {
  const source = useSignal<string | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  useEffect(() => {
    let isShown = true;
    let made: string | undefined;
    const read = async () => {
      try {
        const svg: unknown = await client().get('/v2/weblinks/{id}/qr.svg', { path: { id } });
        if (!isShown) return;
        made = URL.createObjectURL(new Blob([String(svg)], { type: 'image/svg+xml' }));
        source.value = made;
      } catch (error) {
        refusal.value = refusalOf(error);
      }
    };
    void read();
    return () => {
      isShown = false;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [id]);
  if (refusal.value !== null) return <Refused refusal={refusal.value} />;
  return source.value === null ? (
    <p>{words.loading}</p>
  ) : (
    <img class="qr" src={source.value} alt={words.keys.qrOf(name)} />
  );
}

function LinkRow({ link, onChanged }: { link: Weblink; onChanged: () => void }) {
  const { id, name, product_id, end_time, used_count } = link;
  const isShown = useSignal(false);
  const product = productOf(product_id);
  const until =
    end_time === null ? words.keys.endless : words.keys.until(timeOf(end_time, timezoneOfLot(product?.lot_id)));
  return (
    <li class="card stay">
      <div class="line">
        <strong>{name}</strong>
        <span class="facts">{[product?.name ?? '–', until, words.keys.used(used_count)].join(' · ')}</span>
        <span class="buttons">
          <button type="button" class="small" aria-label={words.keys.qrOf(name)} onClick={() => (isShown.value = true)}>
            {words.keys.qr}
          </button>
          <AskButton
            label={words.keys.revoke}
            about={name}
            title={words.keyList.endLinkTitle(name)}
            what={words.keyList.endLinkWhat}
            call={{ method: 'DELETE', path: `/v2/weblinks/${id}` }}
            onYes={async () => {
              await client().delete('/v2/weblinks/{id}', { path: { id } });
              onChanged();
            }}
          />
        </span>
      </div>
      {isShown.value && (
        <Dialog title={name} onClose={() => (isShown.value = false)}>
          <QrCode id={id} name={name} />
          <button type="button" onClick={() => (isShown.value = false)}>
            {words.close}
          </button>
        </Dialog>
      )}
    </li>
  );
}
