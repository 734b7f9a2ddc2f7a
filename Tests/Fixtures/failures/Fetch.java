import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Asks for each URL by HttpClient, and prints a line for each: its name, and the status or the exception's class. */
class Fetch {
  public static void main(String[] arguments) throws Exception {
    HttpClient.Builder builder = HttpClient.newBuilder();
    // Directly, the test's authority is trusted by its file; tapeline names a store of its own.
    if (System.getProperty("javax.net.ssl.trustStore") == null) builder.sslContext(trusting(System.getenv("SSL_CERT_FILE")));
    HttpClient client = builder.build();
    for (String pair : arguments) {
      String[] words = pair.split("=", 2);
      HttpRequest request = HttpRequest.newBuilder(URI.create(words[1])).timeout(Duration.ofSeconds(20)).build();
      try {
        System.out.println(words[0] + " " + client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
      } catch (Exception error) {
        System.out.println(words[0] + " " + error.getClass().getSimpleName());
      }
    }
  }

  private static SSLContext trusting(String file) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (FileInputStream input = new FileInputStream(file)) {
      store.setCertificateEntry("test", CertificateFactory.getInstance("X.509").generateCertificate(input));
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }
}
