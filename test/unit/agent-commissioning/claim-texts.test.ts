import { describe, expect, it } from 'vitest';
import { parseClaimText } from '../../../agent/commissioning/claim-text-parser.js';
import { unreachableText } from '../../../agent/commissioning/unreachable-cloud.js';

describe('a claim code as people have it', () => {
  it.each([
    ['7Q4M-0ZKD-ABCD-EFGH', null, '7Q4M-0ZKD-ABCD-EFGH'],
    ['  7q4m 0zkd abcd efgh\n', null, '7q4m 0zkd abcd efgh'],
    ['https://cloud.example/v2/gateways/claim#7Q4M-0ZKD', 'https://cloud.example', '7Q4M-0ZKD'],
    ['Open http://10.0.0.5:8080/parking/v2/gateways/claim#A%20B now', 'http://10.0.0.5:8080/parking', 'A B'],
    ['https://cloud.example/v2/gateways/claim#A%ZZB', 'https://cloud.example', 'A%ZZB'],
    ['parking-agent claim --cloud https://c.example --code 7Q4M-0ZKD', 'https://c.example', '7Q4M-0ZKD'],
    ["parking-agent claim --cloud='https://c.example' --code='7Q4M 0ZKD'", 'https://c.example', '7Q4M 0ZKD'],
    ['', null, ''],
  ])('%j', (text, cloudUrl, code) => {
    expect(parseClaimText(text)).toEqual({ cloudUrl, code });
  });
});

describe('a cloud that does not answer', () => {
  const URL = 'https://cloud.example/v2/gateways/claim';
  const failed = (code: string) =>
    Object.assign(new Error('fetch failed', { cause: Object.assign(new Error(code), { code }) }));
  const textOf = (code: string) => unreachableText(URL, { cause: failed(code), nowMs: 86_400_000 });

  it.each([
    ['CERT_NOT_YET_VALID', 'the clock of this device says 1970-01-02T00:00:00.000Z: set the clock'],
    ['CERT_HAS_EXPIRED', 'if the clock of this device is right (1970-01-02'],
    ['ENOTFOUND', 'there is no such name'],
    ['EAI_AGAIN', 'no network, or no name server'],
    ['ENETUNREACH', 'no network, or no name server'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for other names'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'is it http://'],
    ['ECONNREFUSED', 'check the address and the network'],
  ])('%s is told with what to do', (code, words) => {
    expect(textOf(code)).toContain(`${URL} did not answer (${code}): `);
    expect(textOf(code)).toContain(words);
  });

  it('is told by what lies behind several attempts', () => {
    const cause = new Error('fetch failed', { cause: new AggregateError([failed('ENETUNREACH')]) });
    expect(unreachableText(URL, { cause, nowMs: 0 })).toContain('no name server');
  });
});
