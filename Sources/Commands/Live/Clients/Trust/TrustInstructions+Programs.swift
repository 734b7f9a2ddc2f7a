internal import TapelineTLS

extension TrustInstructions {
  var browsers: [TrustInstruction] {
    [firefox, chromium, chromiumSession]
  }

  /// Programs with trust settings of their own. All but the last few read a variable, which lasts only as long as its shell.
  var tools: [TrustInstruction] {
    [
      variable("curl", "CURL_CA_BUNDLE", remark: "Or for one call: curl --cacert \(file)"),
      TrustInstruction(
        title: "wget",
        trust: ["wget --ca-certificate=\(file) ...", "echo ca_certificate = \(file) >> ~/.wgetrc"],
        remove: ["take the line out of ~/.wgetrc"]),
      TrustInstruction(
        title: "git",
        remark: "Or for one shell: export GIT_SSL_CAINFO=\(file)",
        trust: ["git config --global http.sslCAInfo \(file)"],
        remove: ["git config --global --unset http.sslCAInfo"]),
      variable("Python: ssl, httpx, aiohttp; Go; Ruby; whatever uses OpenSSL", "SSL_CERT_FILE"),
      variable("Python: requests", "REQUESTS_CA_BUNDLE"),
      TrustInstruction(
        title: "Python: certifi, where a program reads no variable",
        trust: ["cat \(file) >> \"$(python3 -m certifi)\""],
        remove: ["pip install --force-reinstall certifi"]),
      variable("pip", "PIP_CERT"),
      variable("Node.js", "NODE_EXTRA_CA_CERTS"),
      variable("Deno", "DENO_CERT"),
      variable("cargo", "CARGO_HTTP_CAINFO"),
      variable("AWS command line", "AWS_CA_BUNDLE"),
      variable("Perl: LWP", "PERL_LWP_SSL_CA_FILE"),
      variable("Nix", "NIX_SSL_CERT_FILE"),
      TrustInstruction(
        title: "Java",
        remark: "For the Java whose keytool is in PATH.",
        trust: ["keytool -importcert -noprompt -cacerts -storepass changeit -alias \(nickname) -file \(file)"],
        remove: ["keytool -delete -cacerts -storepass changeit -alias \(nickname)"]),
      TrustInstruction(
        title: "PHP", trust: ["php -d curl.cainfo=\(file) -d openssl.cafile=\(file) ..."], remove: ["leave the options out"]),
    ]
  }

  private func variable(_ title: String, _ name: String, remark: String? = nil) -> TrustInstruction {
    TrustInstruction(title: title, remark: remark, trust: ["export \(name)=\(file)"], remove: ["unset \(name)"])
  }

  private var firefox: TrustInstruction {
    let profiles = "for db in ~/.mozilla/firefox/*/cert9.db ~/snap/firefox/common/.mozilla/firefox/*/cert9.db; do [ -f \"$db\" ]"
    return TrustInstruction(
      title: "Firefox on Linux (any system: Settings > Privacy & Security > View Certificates > Authorities)",
      remark: "certutil is in libnss3-tools (Debian), nss-tools (Fedora), nss (Arch). Close Firefox first.",
      trust: ["\(profiles) && certutil -A -d \"sql:${db%/*}\" -n \(nickname) -t C,, -i \(file); done"],
      remove: ["\(profiles) && certutil -D -d \"sql:${db%/*}\" -n \(nickname); done"])
  }

  private var chromium: TrustInstruction {
    TrustInstruction(
      title: "Chromium and Chrome on Linux",
      remark: "certutil as for Firefox.",
      trust: [
        "mkdir -p ~/.pki/nssdb && { [ -f ~/.pki/nssdb/cert9.db ] || certutil -N -d sql:$HOME/.pki/nssdb --empty-password; }",
        "certutil -A -d sql:$HOME/.pki/nssdb -n \(nickname) -t C,, -i \(file)",
      ],
      remove: ["certutil -D -d sql:$HOME/.pki/nssdb -n \(nickname)"])
  }

  private var chromiumSession: TrustInstruction {
    TrustInstruction(
      title: "Chromium and Chrome for one session, with a profile of its own and nothing installed",
      trust: [
        "chromium --user-data-dir=\"$(mktemp -d)\" --proxy-server=127.0.0.1:8888 --proxy-bypass-list='<-loopback>' "
          + "--ignore-certificate-errors-spki-list=\(certificate.keyPin)"
      ],
      remove: ["close it"])
  }
}
