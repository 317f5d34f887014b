import { connect } from 'node:net';
import { createServer, type Server } from 'node:tls';

/** Made for these tests with openssl: for localhost, valid from 2020 to 2120, in no trust store. */
export const CERTIFICATE: string = `-----BEGIN CERTIFICATE-----
MIIBZjCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJzM9DATZs4t/pY8
JKE5MT917TdGVNHl/eSB9e5yjTil+j2hKL6mm5JsqTjk1QVfE8tSymYAelmo6Rsk
6qBdVx+jTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMB0GA1UdDgQWBBTfjoKX0cv74kB4JYFJ1NUl8kELtDAKBggqhkjOPQQD
AgNHADBEAiBdk9PbfrvCsFBUQV2S7WtRQDvXSW4XQrGlPmsaxRzylgIgT5ZqZTRC
KXXoCFUtdQ3MyHZQaJptrMIS2ucYuqH+tGI=
-----END CERTIFICATE-----
`;

/** The key of the certificate. */
export const KEY: string = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzV0b/+oUiP633zfR
xwAMSVPIGuwixzGuQDCDAkHsqvyhRANCAASczPQwE2bOLf6WPCShOTE/de03RlTR
5f3kgfXuco04pfo9oSi+ppuSbKk45NUFXxPLUspmAHpZqOkbJOqgXVcf
-----END PRIVATE KEY-----
`;

/** A TLS port in front of a plain one, as a redis-server with TLS would be; not every build has it. */
export function startTls(
  targetPort: number,
): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer({ cert: CERTIFICATE, key: KEY }, (secure) => {
    const plain = connect(targetPort, '127.0.0.1');
    secure.on('error', () => plain.destroy());
    plain.on('error', () => secure.destroy());
    secure.pipe(plain).pipe(secure);
  });
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') fail(new Error('no port'));
      else done({ port: address.port, server });
    });
  });
}
