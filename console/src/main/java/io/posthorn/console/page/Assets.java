package io.posthorn.console.page;

import io.posthorn.api.access.Open;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** The style, the scripts and the icon. Their addresses contain a hash of all of them. */
@RestController
public final class Assets {
  private static final String FOLDER = "/io/posthorn/console/assets/";
  private static final String HTMX = "/META-INF/maven/org.webjars.npm/htmx.org/pom.properties";
  private static final MediaType SCRIPT = MediaType.parseMediaType("text/javascript;charset=utf-8");
  private static final MediaType STYLE = MediaType.parseMediaType("text/css;charset=utf-8");
  private static final MediaType PICTURE = MediaType.parseMediaType("image/svg+xml");

  /** Whether pages and assets are read again at each request, for those who work on them. */
  static final boolean RELOAD = Boolean.getBoolean("posthorn.console.reload");

  private static final Map<String, Asset> ALL = all();
  private static final String VERSION = version();

  @SuppressWarnings("ArrayRecordComponent") // never changed, and compared by nobody
  private record Asset(MediaType type, byte[] plain, byte[] zipped) {}

  static String path(String name) {
    return "/assets/" + VERSION + "/" + name;
  }

  /** How many bytes a browser loads at its first visit. */
  public static long zippedBytes() {
    return ALL.values().stream().mapToLong(one -> one.zipped().length).sum();
  }

  @Open("The same for everybody, and nothing of any database")
  @GetMapping("${posthorn.console.path:/posthorn}/assets/{version}/{name}")
  ResponseEntity<byte[]> asset(
      @PathVariable String name,
      @RequestHeader(name = "Accept-Encoding", required = false) @Nullable String accepts) {
    Asset asset = (RELOAD ? all() : ALL).get(name);
    if (asset == null) {
      return ResponseEntity.notFound().build();
    }
    boolean zipped = accepts != null && accepts.contains("gzip");
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.ok()
            .contentType(asset.type())
            .cacheControl(
                RELOAD
                    ? CacheControl.noStore()
                    : CacheControl.maxAge(Duration.ofDays(365)).immutable())
            .header("X-Content-Type-Options", "nosniff")
            .header("Vary", "Accept-Encoding");
    if (zipped) {
      answer.header("Content-Encoding", "gzip");
    }
    return answer.body(zipped ? asset.zipped() : asset.plain());
  }

  private static Map<String, Asset> all() {
    Map<String, Asset> assets = new LinkedHashMap<>();
    assets.put("console.css", asset(STYLE, FOLDER + "console.css"));
    assets.put("console.js", asset(SCRIPT, FOLDER + "console.js"));
    assets.put("htmx.js", asset(SCRIPT, htmx()));
    assets.put("icon.svg", asset(PICTURE, FOLDER + "icon.svg"));
    return assets;
  }

  private static String htmx() {
    Properties properties = new Properties();
    try (InputStream in = Assets.class.getResourceAsStream(HTMX)) {
      if (in == null) {
        throw new IllegalStateException("htmx.org is not on the class path");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "/META-INF/resources/webjars/htmx.org/%s/dist/htmx.min.js"
        .formatted(properties.getProperty("version"));
  }

  private static Asset asset(MediaType type, String path) {
    try (InputStream in = Assets.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException(path + " is not on the class path");
      }
      byte[] plain = in.readAllBytes();
      ByteArrayOutputStream zipped = new ByteArrayOutputStream();
      try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
        zip.write(plain);
      }
      return new Asset(type, plain, zipped.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String version() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      ALL.values().forEach(one -> digest.update(one.plain()));
      return HexFormat.of().formatHex(digest.digest(), 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
