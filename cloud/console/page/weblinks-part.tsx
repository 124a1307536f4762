/** Links by which guests open without an account: made, shown as a QR code, revoked. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { DeleteButton, DialogButton, Listed, Row } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { SentForm } from './form-parts.js';
import { Button, CopyButton, Refused } from './parts.js';
import { ReceiverFields, useReceiver } from './receiver-form.js';
import { client } from './session.js';
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
      <Listed
        list={links}
        none={words.keys.noLinks}
        row={(link) => <LinkRow key={link.id} link={link} onChanged={links.again} />}
      />
    </>
  );
}

const NOTHING_MORE = { empty: {}, fields: [], faultsOf: () => ({}) } as const;

function MakeLink({ onMade }: { onMade: () => void }) {
  const receiver = useReceiver('weblink', NOTHING_MORE);
  const { sending, body } = receiver;
  const made = useSignal<{ id: string; name: string; url: string | null } | null>(null);
  const isCopied = useSignal(false);
  const send = () =>
    sending.send(async () => {
      const { id, url } = await client().post('/v2/weblinks', { body, idempotencyKey: receiver.key() });
      // Of a link whose first answer was lost there is the code alone, which holds the same.
      made.value = { id, name: body.name, url };
      isCopied.value = false;
      receiver.reset();
      onMade();
    });
  const outcome = made.value !== null && (
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
  );
  return (
    <SentForm
      class="card invite"
      label={words.keys.makeLink}
      sending={sending}
      onSend={send}
      yes={words.keys.makeLink}
      outcome={outcome}
      call={{ method: 'POST', path: '/v2/weblinks', body }}
    >
      <p class="facts">{words.keys.linksWhat}</p>
      <ReceiverFields receiver={receiver} nameLabel={words.keys.linkName} productLabel={words.keys.product} />
    </SentForm>
  );
}

/** The service draws it, and asks for the token: an `<img>` alone could not show it. */
function QrCode({ id, name }: { id: string; name: string }) {
  const { found, refusal } = useRead(id, (signal) =>
    client().get('/v2/weblinks/{id}/qr.svg', { path: { id }, signal }),
  );
  const source = useMemo(
    () => (found === null ? '' : URL.createObjectURL(new Blob([String(found)], { type: 'image/svg+xml' }))),
    [found],
  );
  useEffect(() => () => URL.revokeObjectURL(source), [source]);
  if (refusal !== null) return <Refused refusal={refusal} />;
  return found === null ? <p>{words.loading}</p> : <img class="qr" src={source} alt={words.keys.qrOf(name)} />;
}

function LinkRow({ link, onChanged }: { link: Weblink; onChanged: () => void }) {
  const { id, name, product_id, end_time, used_count } = link;
  const product = productOf(product_id);
  const until =
    end_time === null ? words.keys.endless : words.keys.until(timeOf(end_time, timezoneOfLot(product?.lot_id)));
  return (
    <Row
      name={name}
      facts={[product?.name ?? '–', until, words.keys.used(used_count)]}
      buttons={
        <>
          <DialogButton word={words.keys.qr} label={words.keys.qrOf(name)} title={name}>
            {(close) => (
              <>
                <QrCode id={id} name={name} />
                <Button word={words.done} onClick={close} />
              </>
            )}
          </DialogButton>
          <DeleteButton
            list="/v2/weblinks"
            id={id}
            word={words.forms.revoke}
            about={name}
            title={words.keyList.endLinkTitle(name)}
            what={words.keyList.endLinkWhat}
            onDone={onChanged}
          />
        </>
      }
    />
  );
}
