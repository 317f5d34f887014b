/** User and password: from the scheme to the last `@`, since a password may hold one, and more, unescaped. */
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/{0,2}).*@/is;
/** The same within a sentence, as far as the next blank or quote. */
const CREDENTIALS_WITHIN = /([a-z][a-z0-9+.-]*:\/{2})[^\s"'`]*@/gi;
/** Secrets handed over as a query parameter. */
const SECRET_PARAMETERS = /([?&](?:pass|password|token|secret|auth)=)[^&\s"'`]*/gi;

/** A URL, or what was meant as one, with user and password replaced by `***`; rather too much hidden than too little. */
export function redactUrl(url: string): string {
  return url.replace(CREDENTIALS, '$1***@').replaceAll(SECRET_PARAMETERS, '$1***');
}

/** A message of somebody else with the credentials of the URLs in it replaced by `***`. */
export function redactText(text: string): string {
  return text.replaceAll(CREDENTIALS_WITHIN, '$1***@').replaceAll(SECRET_PARAMETERS, '$1***');
}
