import Testing

@testable import TapelineRedaction

/// Secrets of command lines that stand where only their command knows.
struct CommandSecretsTests {
  /// The text with its secrets in `«…»`.
  private func marked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var end = 0
    for range in CommandSecrets.ranges(in: bytes.span, by: .standard) {
      output += bytes[end..<range.lowerBound] + Array("«".utf8) + bytes[range] + Array("»".utf8)
      end = range.upperBound
    }
    return String(decoding: output + bytes[end...], as: UTF8.self)
  }

  private func plain(_ marked: String) -> String { marked.filter { !"«»".contains($0) } }

  @Test(arguments: [
    "sqlplus scott/«S»@db", "sqlplus -S scott/«S» @script.sql", "/opt/bin/sqlldr 'scott/«S»@db' control=a.ctl", "sqlplus /nolog",
    "sqlplus -s @/home/bob/a.sql", "impdp scott/«S»@//h:1521/s directory=d", "smbclient -U u%«S» //h/s",
    "smbclient //h/s -Uu%«S»",
    "smbclient --user=u%«S» //h/s", "rpcclient -U 'DOM\\u%«S»' h", "smbclient -U u //h/s", "mongodump -p «S» -u bob",
    "mongosh --host h -p«S»", "mongodump -u bob -p --db d", "mongodump --port 1", "htpasswd -b f u «S»", "htpasswd -nbB u «S»",
    "htpasswd -c f u", "npm config set //r/:_authToken «S»", "npm config set registry https://r/",
    "yarn config set npmAuthToken «S»",
    "git config --global http.proxyPassword «S»", "git config user.name bob", "vault login «S»", "vault login -method=token «S»",
    "vault operator unseal «S»", "vault status", "aws configure set aws_secret_access_key «S» --profile p",
    "aws configure set region eu-west-1", "aws configure set profile.x.aws_session_token «S»", "cargo login «S»",
    "cargo login --registry «r» «S»", "cargo build", "doctl -t «S» account get", "doctl account get -t «S»",
    "flyctl -t «S» apps list",
    "unrar x -p«S» f", "unrar x -p- f.rar -hp«S»", "unrar x f.rar", "terraform apply -var=db_password=«S»",
    "terraform plan -var 'api_token=«S»' -var region=eu", "tofu apply --var=secret_key=«S»", "lftp -u u,«S» h",
    "lftp -u u h", "bcp db.t out f -U u -P«S»", "bcp db.t out f -P «S» -S h", "rabbitmqadmin -u u -p «S» list queues",
    "snyk auth «S»", "ngrok config add-authtoken «S»", "ngrok authtoken «S»", "ssh-keygen -t ed25519 -N «S» -f k",
    "ssh-keygen -p -P «S» -N '«T U»' -f k", "ssh-keygen -t rsa -N '' -f k", "keytool -genkey -keypass «S» -storepass «T»",
    "influx -host h -password «S»", "rclone obscure «S»", "rclone config create n webdav user u pass «S»", "cf auth u «S»",
    "docker login -p «S» -u u h", "az login -u u -p «S»", "docker run -p 80:80 -u u i", "mc alias set n https://h «K» «S»",
    "wpa_passphrase net «S»", "nmcli dev wifi connect net password «S»", "openssl enc -pass «pass:S» -in f",
    "openssl rsa -passin «pass:S»",
    "apksigner sign --ks-pass pass:«S» a.apk", "xfreerdp /u:u /p:«S» /v:h", "mosquitto_pub -u u -P «S» -t x -m y",
    "redis-cli -h h AUTH «S»", "redis-cli CONFIG SET requirepass «S»", "redis-cli GET token",
    "pulumi config set --secret dbPassword «S»",
    "snmpwalk -v2c -c «S» h", "evil-winrm -i h -u u -p «S»", "psexec.py d/u:«S»@h",
    "mount -t cifs -o username=u,password=«S»,uid=1 //h/s /m", "net use z: x «S»",
    "kubectl create secret generic x --from-literal=password=«S» --from-literal=user=u",
    "composer config github-oauth.github.com «S»",
    "rabbitmqctl add_user u «S»", "qpdf --encrypt user_pw «S» 256 -- a b",
    // Commands within commands.
    "sh -c 'vault login «S»'", "sh -c \"cd a && cargo login «S»; make\"", "sudo -u x vault login «S»",
    "vault login «S» && echo login T",
    "docker exec db mongodump -p «S»", "env A=b /usr/bin/vault login «S»", "ssh h 'sh -c \"snyk auth «S»\"'",
    // Pipes.
    "echo «S» | docker login -u u --password-stdin h", "printf '%s' '«S T»' | gh auth login --with-token",
    "echo -n «S» | sudo -S make",
    "echo u:«S» | cat", "cat f | docker login --password-stdin", "echo «u:S» | chpasswd",
    // What is no secret.
    "make test", "cat login vault", "git log -p", "ls -la", "", "'", "vault login", "htpasswd -b", "sqlplus", "lftp -u", "a | b",
    "cp a/b c/d", "ssh -p 22 h", "mkdir -p a/b", "terraform apply -var", "npm config set", "|", "echo a |", "| vault login",
  ])
  func commands(expected: String) {
    var expected = expected
    // Two that name what other searches find.
    if expected.hasPrefix("echo u:") { expected = plain(expected) }
    if expected.hasPrefix("mc alias") { expected = "mc alias set n https://h K «S»" }
    #expect(marked(plain(expected)) == expected)
  }

  @Test("Any words: ranges are in order, within the text, and do not overlap; many words take no longer than their number")
  func noise() {
    let pieces = [
      "vault", "login", "sqlplus", "a/b@c", "-p", "-pX", "htpasswd", "-b", "'", "\"", "|", "echo", "--password-stdin", ";", "&&",
      "config", "set", "token", "-var", "x=y", "$'a'", "\\", "ü", "sh", "-c", "smbclient", "-U", "u%S", "mc", "alias",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<3_000 {
      let text = (0..<30).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
        .joined(separator: Bool.random(using: &random) ? " " : "")
      var end = 0
      for range in CommandSecrets.ranges(in: Array(text.utf8).span, by: .standard) {
        #expect(range.lowerBound >= end && range.upperBound <= text.utf8.count && !range.isEmpty)
        end = range.upperBound
      }
    }
    for piece in ["mongodump ", "sqlplus a/b ", "echo | sudo -S ", "' ", "vault login ", "sh -c '"] {
      _ = CommandSecrets.ranges(in: Array(String(repeating: piece, count: 100_000).utf8).span, by: .standard)
    }
  }
}
