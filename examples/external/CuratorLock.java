import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;

/** Apache Curator's InterProcessMutex on the bench, by the lines of docs/testing/external.md. */
public class CuratorLock {
  /** Lines are nearly flat, and texts have no quotes, so no JSON library is needed. */
  private static final Pattern FIELD =
      Pattern.compile("\"(\\w+)\"\\s*:\\s*(?:\"([^\"]*)\"|(-?\\d+)|(true|false))");
  private static final Pattern SERVERS = Pattern.compile("\"servers\"\\s*:\\s*\\[([^\\]]*)\\]");
  /** A mutex belongs to the thread that acquired it, so each key has a thread of its own. */
  private static final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
  private static final Map<String, CuratorLock> locks = new ConcurrentHashMap<>();
  private static CuratorFramework curator;
  private static Map<String, String> greeting;
  /** Grows whenever connection or session was lost: what was held before is in doubt. */
  private static volatile int losses;

  private final String key;
  private final InterProcessMutex mutex;
  private int lossesAtGrant;
  private long plain;
  private Socket resource;
  private BufferedReader replies;

  private CuratorLock(String key) {
    this.key = key;
    String path = key.startsWith("/") ? key : "/bench/" + key.replace('/', '_');
    this.mutex = new InterProcessMutex(curator, path);
  }

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String first = in.readLine();
    greeting = parse(first);
    Matcher servers = SERVERS.matcher(first);
    servers.find();
    int sessionMs = Integer.parseInt(greeting.get("ttlMs"));
    curator =
        CuratorFrameworkFactory.newClient(
            servers.group(1).replace("\"", ""), sessionMs, 15_000, new RetryNTimes(3, 100));
    curator
        .getConnectionStateListenable()
        .addListener((client, state) -> {
          if (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST) losses++;
        });
    curator.start();
    curator.blockUntilConnected();
    String version = CuratorFramework.class.getPackage().getImplementationVersion();
    say(
        "{\"ready\":1,\"name\":\"Curator "
            + (version == null ? "" : version + " ")
            + "InterProcessMutex\",\"options\":\"session of "
            + sessionMs
            + " ms, RetryNTimes(3, 100); stops on SUSPENDED and LOST, as its documentation asks\"}");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<String, String> request = parse(line);
      if (request.get("do").equals("clock")) {
        say("{\"id\":" + request.get("id") + ",\"ok\":true,\"wallMs\":" + System.currentTimeMillis() + "}");
        continue;
      }
      String key = request.get("key");
      threads
          .computeIfAbsent(key, (k) -> Executors.newSingleThreadExecutor())
          .submit(() -> locks.computeIfAbsent(key, CuratorLock::new).answer(request));
    }
    System.exit(0);
  }

  private void answer(Map<String, String> request) {
    String outcome;
    try {
      outcome = "\"ok\":" + perform(request);
    } catch (Exception failure) {
      System.err.println(failure);
      boolean mayHold = request.get("do").matches("acquire|release");
      String reason = failure.getClass().getSimpleName();
      outcome = "\"ok\":false,\"unknown\":" + mayHold + ",\"reason\":\"" + reason + "\"";
    }
    say("{\"id\":" + request.get("id") + "," + outcome + "}");
  }

  private boolean perform(Map<String, String> request) throws Exception {
    switch (request.get("do")) {
      case "acquire":
        if (!mutex.acquire(Long.parseLong(request.get("waitMs")), TimeUnit.MILLISECONDS)) return false;
        lossesAtGrant = losses;
        return true;
      case "read":
        plain = Long.parseLong(ask("read", request.get("hold"), "").get("plain"));
        return true;
      case "check":
        return holds();
      case "write":
        if (request.get("check").equals("true") && !holds()) return false;
        ask("write", request.get("hold"), ",\"plain\":" + (plain + 1) + ",\"fenced\":null");
        return true;
      default:
        mutex.release();
        return true;
    }
  }

  private boolean holds() {
    return losses == lossesAtGrant && mutex.isAcquiredInThisProcess();
  }

  private Map<String, String> ask(String kind, String hold, String rest) throws Exception {
    if (resource == null) {
      String[] address = greeting.get("resource").split(":");
      resource = new Socket(address[0], Integer.parseInt(address[1]));
      resource.setTcpNoDelay(true);
      replies =
          new BufferedReader(new InputStreamReader(resource.getInputStream(), StandardCharsets.UTF_8));
    }
    String line =
        "{\"id\":1,\"kind\":\"" + kind + "\",\"key\":\"" + key + "\",\"client\":\""
            + greeting.get("client") + "\",\"hold\":\"" + hold + "\"" + rest + "}\n";
    OutputStream out = resource.getOutputStream();
    out.write(line.getBytes(StandardCharsets.UTF_8));
    out.flush();
    return parse(replies.readLine());
  }

  private static Map<String, String> parse(String line) {
    Map<String, String> fields = new ConcurrentHashMap<>();
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find())
      for (int group = 2; group <= 4; group++)
        if (matcher.group(group) != null) fields.put(matcher.group(1), matcher.group(group));
    return fields;
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
