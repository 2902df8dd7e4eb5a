package io.posthorn.core.operate;

import io.posthorn.core.inbox.ReceiptStore;
import io.posthorn.core.operate.archive.ArchiveStore;
import io.posthorn.core.operate.audit.AuditStore;
import io.posthorn.core.operate.deadletter.DeadLetterStore;
import io.posthorn.core.operate.doctor.DoctorStore;
import io.posthorn.core.operate.figures.FiguresStore;
import io.posthorn.core.operate.id.IdStore;
import io.posthorn.core.operate.operation.OperationStore;
import io.posthorn.core.operate.restore.RestoreStore;
import io.posthorn.core.operate.retention.RetentionStore;
import io.posthorn.core.operate.status.StatusStore;
import io.posthorn.core.operate.steering.SteeringStore;
import io.posthorn.core.operate.story.StoryStore;

/** A database's implementation of everything that people need to see and steer deliveries. */
public interface OperatorStore
    extends DeadLetterStore,
        ReceiptStore,
        SteeringStore,
        OperationStore,
        AuditStore,
        RestoreStore,
        StoryStore,
        IdStore,
        StatusStore,
        FiguresStore,
        DoctorStore,
        RetentionStore,
        ArchiveStore {}
