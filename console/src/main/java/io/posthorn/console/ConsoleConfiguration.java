package io.posthorn.console;

import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.console.action.ActPages;
import io.posthorn.console.audit.AuditPage;
import io.posthorn.console.consumer.ConsumerPage;
import io.posthorn.console.database.DatabasesPage;
import io.posthorn.console.deadletter.DeadPages;
import io.posthorn.console.deadletter.LetterPage;
import io.posthorn.console.destination.DestinationPages;
import io.posthorn.console.doctor.DoctorPage;
import io.posthorn.console.live.Live;
import io.posthorn.console.live.LiveStream;
import io.posthorn.console.message.MessagePages;
import io.posthorn.console.operation.OperationPages;
import io.posthorn.console.overview.OverviewPage;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Assets;
import io.posthorn.console.page.ComponentsPage;
import io.posthorn.console.page.ConsoleLogin;
import io.posthorn.console.page.ErrorPages;
import io.posthorn.console.page.Pages;
import io.posthorn.console.relay.RelayPage;
import io.posthorn.console.search.JumpList;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The console. It needs the kernel of the API ({@link io.posthorn.api.ApiConfiguration}) with its
 * beans. A new page is a package and one line here.
 */
@Configuration(proxyBeanMethods = false)
@Import({
  Assets.class,
  ErrorPages.class,
  ComponentsPage.class,
  ConsoleLogin.class,
  LiveStream.class,
  OverviewPage.class,
  ActPages.class,
  AuditPage.class,
  ConsumerPage.class,
  DatabasesPage.class,
  DeadPages.class,
  LetterPage.class,
  DestinationPages.class,
  DoctorPage.class,
  MessagePages.class,
  OperationPages.class,
  RelayPage.class,
  JumpList.class,
})
public class ConsoleConfiguration {
  @Bean
  Ask posthornConsoleAsk() {
    return new Ask();
  }

  @Bean
  Live posthornConsoleLive(Ask ask) {
    return new Live(ask);
  }

  @Bean
  Pages posthornConsolePages(
      @Value("${posthorn.console.path:/posthorn}") String path,
      OperatedDatabases databases,
      Live live) {
    return new Pages(path, databases, live);
  }
}
