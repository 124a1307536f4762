/** Reads a claim code as people have it: typed, as the link in its QR code, or as the whole command that the console shows. */

const LINK = /(https?:\/\/[^\s'"]+?)\/v2\/gateways\/claim#([^\s'"]+)/i;
const COMMAND = /--cloud[=\s]+['"]?([^\s'"]+)['"]?\s+--code[=\s]+['"]?([^'"]+?)['"]?\s*$/;

/** @returns the code, and the address of the cloud where the text names one. How a code is written is for the cloud to judge. */
export function parseClaimText(text: string): { cloudUrl: string | null; code: string } {
  const [, linked, code] = LINK.exec(text) ?? [];
  if (linked !== undefined && code !== undefined) return { cloudUrl: linked, code: decoded(code) };
  const [, cloudUrl, typed] = COMMAND.exec(text) ?? [];
  if (cloudUrl !== undefined && typed !== undefined) return { cloudUrl, code: typed.trim() };
  return { cloudUrl: null, code: text.trim() };
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
